import {
  type auditAllocations,
  type auditArtifacts,
  type auditCustomers,
  type BookEntry,
  type DonationOutcome,
  firstDetails,
  type MessageKind,
  type MessagingService,
  messageKind,
  type PendingArtifactWork,
  type ReplyOf,
} from '@pinkas/contracts';
import { type Finding, findingOf } from './checks.js';
import type { DeliveryAudit } from './delivery-sends.js';

/** A document in the audit of allocation. */
export type AllocationAudit = ReplyOf<typeof auditAllocations>['documents'][number];
/** A document in the audit of customer. */
export type CustomerAudit = ReplyOf<typeof auditCustomers>['documents'][number];
/** A document in the audit of rendering. */
export type ArtifactAudit = ReplyOf<typeof auditArtifacts>['documents'][number];

/** What the other services have stored of a document. */
export interface Audits {
  readonly customer: CustomerAudit;
  readonly allocation: AllocationAudit;
  readonly delivery: DeliveryAudit;
  readonly artifact: ArtifactAudit;
}

/** Work on a document that is due and not done. */
export interface PendingWork {
  /** What is missing: half a sentence. */
  readonly message: string;
  /** Since when, at the earliest. */
  readonly due: Date;
  /** The services in which it may be dead-lettered. */
  readonly services: readonly MessagingService[];
}

/** How long work may take after it is due; later it is a finding. */
export const workGraceMs = 60_000;

const artifactMessages: Readonly<Record<PendingArtifactWork, string>> = {
  final: 'none of its PDFs is final',
  allocation_number: 'none of its PDFs has its allocation number',
  cancelled: 'none of its PDFs says that it is cancelled',
  report_cancelled: 'none of its PDFs says that the report of its donation is cancelled',
};

/** The work on one document that is due and not done; work that waits for a known instant in the future is not due. */
export function pendingWork(entry: BookEntry, audits: Audits, now: Date): PendingWork[] {
  return [
    ...ofCustomer(entry, audits.customer),
    ...ofAllocation(entry, audits.allocation, now),
    ...ofDelivery(entry, audits.delivery, now),
    ...ofFollowUps(entry, audits),
    ...ofArtifact(entry, audits),
  ];
}

function ofCustomer({ document }: BookEntry, { details }: CustomerAudit): PendingWork[] {
  const work = (message: string): PendingWork => ({
    message,
    due: new Date(document.issued_at),
    services: ['customer'],
  });
  if (details === null) {
    return [work('its customer is not recorded on a card')];
  }
  // A card has the details of each of its documents, or others that it had before.
  const missing = firstDetails.filter(
    (name) => (document.customer[name] ?? null) !== null && !details.includes(name),
  );
  return missing.length === 0
    ? []
    : [work(`the card of its customer has no ${missing.join(', ')}, which the document has`)];
}

function ofArtifact(
  { document, state }: BookEntry,
  { artifact, allocation }: Pick<Audits, 'artifact' | 'allocation'>,
): PendingWork[] {
  const since: Readonly<Record<PendingArtifactWork, string | null | undefined>> = {
    final: document.issued_at,
    allocation_number: allocation.settled_at,
    cancelled: state.cancelled_at,
    report_cancelled: allocation.settled_at,
  };
  return artifact.pending.map((work) => ({
    message: artifactMessages[work],
    due: new Date(since[work] ?? document.issued_at),
    services: work === 'cancelled' ? ['rendering'] : ['allocation', 'rendering'],
  }));
}

/** The status of a donation in the book for each state in the allocation service. */
const donationStatuses: Readonly<Record<NonNullable<AllocationAudit['state']>, DonationOutcome['status']>> = {
  pending: 'pending',
  issued: 'reported',
  refused: 'refused',
  dead_lettered: 'failed',
};

function ofDonation(
  { document, state: { donation } }: BookEntry,
  { state, cancelled, next_attempt_at: next }: AllocationAudit,
  now: Date,
): PendingWork[] {
  const issuedAt = new Date(document.issued_at);
  if (state === null) {
    const message = 'its donation is to be reported, and no report of it is due';
    return donation?.status === 'not_required' ? [] : [{ message, due: issuedAt, services: ['allocation'] }];
  }
  const work: PendingWork[] = [];
  if (state === 'pending' && !isInFuture(next, now)) {
    const message = `the ${cancelled ? 'cancellation of the report' : 'report'} of its donation is overdue`;
    work.push({ message, due: new Date(next ?? document.issued_at), services: ['allocation'] });
  }
  const ofCancellation = state === 'issued' ? 'cancelled' : null;
  // While a cancellation goes on, the book has what was reported.
  const expected = cancelled ? ofCancellation : donationStatuses[state];
  if (expected !== null && donation?.status !== expected) {
    work.push({
      message: `the book has ${donation?.status ?? 'nothing'} as its donation, and the allocation service has ${expected}`,
      due: new Date(next ?? document.issued_at),
      services: ['allocation', 'issuing'],
    });
  }
  return work;
}

function ofAllocation(entry: BookEntry, audit: AllocationAudit, now: Date): PendingWork[] {
  const { document, allocation, state: bookState } = entry;
  if (bookState.donation) {
    return ofDonation(entry, audit, now);
  }
  const { state, next_attempt_at: next } = audit;
  const issuedAt = new Date(document.issued_at);
  const isRequired = allocation === null || allocation.status === 'issued' || allocation.status === 'failed';
  if (!isRequired && state === null) {
    return [];
  }
  if (state === null) {
    const message = 'its allocation number is required, and not requested';
    return [{ message, due: issuedAt, services: ['allocation'] }];
  }
  const work: PendingWork[] = [];
  if (state === 'pending' && !isInFuture(next, now)) {
    const due = new Date(next ?? document.issued_at);
    work.push({
      message: 'the request for its allocation number is overdue',
      due,
      services: ['allocation'],
    });
  }
  const expected = state === 'issued' ? 'issued' : 'failed';
  // The type of the document gets no number.
  const isTypeWithout = state === 'refused' && allocation?.status === 'not_required';
  if (allocation?.status !== expected && !isTypeWithout) {
    const recorded = allocation?.status ?? 'nothing';
    work.push({
      message: `the book has ${recorded} as its allocation, and the allocation service has ${state}`,
      due: issuedAt,
      services: ['allocation', 'issuing'],
    });
  }
  return work;
}

function ofDelivery(
  { document, state, delivery, accountant_copy }: BookEntry,
  audit: DeliveryAudit,
  now: Date,
): PendingWork[] {
  const issuedAt = new Date(document.issued_at);
  const work: PendingWork[] = [];
  for (const message of audit.messages) {
    work.push(...ofMessage(message, { issuedAt, isCancelled: state.cancelled_at !== null }, now));
  }
  const required = [
    ...channelsOf(delivery.channel).map((channel) => ({ purpose: 'customer', channel })),
    ...(accountant_copy ? [{ purpose: 'accountant', channel: 'email' }] : []),
  ];
  for (const { purpose, channel } of required) {
    const isPlanned = (message: DeliveryAudit['messages'][number]) =>
      message.purpose === purpose && message.channel === channel && !message.requested;
    if (!audit.messages.some(isPlanned)) {
      const message = `there is no message to the ${purpose} by ${channel}, which its delivery requires`;
      work.push({ message, due: issuedAt, services: ['delivery'] });
    }
  }
  return work;
}

/** Who got the document without its allocation number gets it again once there is one. */
function ofFollowUps({ document, state }: BookEntry, { allocation, delivery }: Audits): PendingWork[] {
  // After the cancellation of a report no number is brought any more.
  if (allocation.number === null || allocation.cancelled || state.cancelled_at !== null) {
    return [];
  }
  const due = new Date(allocation.settled_at ?? document.issued_at);
  return delivery.messages
    .filter((message) => kinds[messageKind(message)].isFollowed && message.without_number > 0)
    .filter(
      ({ channel, purpose, recipient }) =>
        !delivery.messages.some(
          (other) =>
            messageKind(other) === 'number' &&
            other.channel === channel &&
            other.purpose === purpose &&
            other.recipient === recipient,
        ),
    )
    .map(({ channel, purpose }) => ({
      message: `its message to the ${purpose} by ${channel} left without the allocation number, and no follow-up brings it`,
      due,
      services: ['allocation', 'rendering', 'delivery'],
    }));
}

function ofMessage(
  message: DeliveryAudit['messages'][number],
  { issuedAt, isCancelled }: { issuedAt: Date; isCancelled: boolean },
  now: Date,
): PendingWork[] {
  const { state, channel, purpose, next_attempt_at: next } = message;
  const { noun, withdrawnBy } = kinds[messageKind(message)];
  const name = `its ${noun} to the ${purpose} by ${channel}`;
  const due = next === null ? issuedAt : new Date(next);
  if (state === 'waiting') {
    const services = ['allocation', 'rendering', 'delivery'] as const;
    return [{ message: `${name} still waits for its PDF`, due: issuedAt, services }];
  }
  if (state === 'ready' && !isInFuture(next, now)) {
    return [{ message: `${name} is due and was not sent`, due, services: [] }];
  }
  if (state === 'sending' && !isInFuture(next, now)) {
    return [{ message: `${name} was being sent and has no result`, due, services: [] }];
  }
  if (state === 'withdrawn' && withdrawnBy === 'cancellation' && !isCancelled) {
    return [
      { message: `${name} was withdrawn, but the document is not cancelled`, due: issuedAt, services: [] },
    ];
  }
  return [];
}

/** What is checked of each kind of message. */
const kinds: Readonly<
  Record<MessageKind, { noun: string; isFollowed: boolean; withdrawnBy: 'cancellation' | 'payment' }>
> = {
  planned: { noun: 'message', isFollowed: true, withdrawnBy: 'cancellation' },
  requested: { noun: 'message', isFollowed: true, withdrawnBy: 'cancellation' },
  number: { noun: 'follow-up', isFollowed: false, withdrawnBy: 'cancellation' },
  report_cancelled: { noun: 'follow-up', isFollowed: false, withdrawnBy: 'cancellation' },
  not_deductible: { noun: 'follow-up', isFollowed: false, withdrawnBy: 'cancellation' },
  reminder: { noun: 'reminder', isFollowed: false, withdrawnBy: 'payment' },
  statement: { noun: 'statement', isFollowed: false, withdrawnBy: 'cancellation' },
};

/** The channels of the messages that an outcome of delivery promises. */
function channelsOf(channel: BookEntry['delivery']['channel']): readonly string[] {
  if (channel === null) {
    return [];
  }
  return channel === 'both' ? ['email', 'whatsapp'] : [channel];
}

const isInFuture = (instant: string | null, now: Date): boolean =>
  instant !== null && new Date(instant) > now;

/** @param deadLetteredIn the services with dead-lettered work on the document, which `pinkas queue dead` shows. */
export function stateOfWork(
  work: PendingWork,
  deadLetteredIn: ReadonlySet<MessagingService>,
  now: Date,
): 'deadLettered' | 'pending' | 'late' {
  if (work.services.some((service) => deadLetteredIn.has(service))) {
    return 'deadLettered';
  }
  return now.getTime() - work.due.getTime() < workGraceMs ? 'pending' : 'late';
}

/** Compares the number in the book, of an invoice or a donation, with the one that the tax authority gave. */
export function checkAllocation(
  { document, state, allocation }: BookEntry,
  { number }: AllocationAudit,
): Finding[] {
  const finding = (message: string) => findingOf('allocation', document, message);
  const findings: Finding[] = [];
  if (state.allocation_number !== null && state.allocation_number !== number) {
    findings.push(
      finding(
        `the book has the allocation number ${state.allocation_number}, and the tax authority gave ${number ?? 'none'}`,
      ),
    );
  }
  const donated = state.donation?.number ?? null;
  if (donated !== null && donated !== number) {
    findings.push(
      finding(`the book has the report number ${donated}, and the tax authority gave ${number ?? 'none'}`),
    );
  }
  if (allocation && allocation.number !== state.allocation_number) {
    findings.push(
      finding(
        `its outcome has ${allocation.number ?? 'no allocation number'}, and the document has ${state.allocation_number ?? 'none'}`,
      ),
    );
  }
  return findings;
}
