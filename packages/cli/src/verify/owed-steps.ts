import type {
  ArtifactStep,
  auditAllocations,
  auditArtifacts,
  BookEntry,
  MessagingService,
  ReplyOf,
} from '@pinkas/contracts';
import { type Fault, faultOf } from './checks.js';
import type { DeliveryAudit } from './sent-once.js';

/** What allocation says of a document. */
export type AllocationAudit = ReplyOf<typeof auditAllocations>['documents'][number];
/** What rendering says of a document. */
export type ArtifactAudit = ReplyOf<typeof auditArtifacts>['documents'][number];

/** A step that is due and not done. */
export interface OwedStep {
  /** What is owed: half a sentence. */
  readonly words: string;
  /** Since when, at the earliest. */
  readonly due: Date;
  /** How long it may take, in milliseconds. */
  readonly graceMs: number;
  /** Where it stands as given up, if it does: any of these services may have done so, and the step waits for it. */
  readonly by: readonly MessagingService[];
}

/** A step that is younger is under way. */
export const stepGraceMs = 60_000;

const words: Readonly<Record<ArtifactStep, string>> = {
  final: 'no PDF of it is declared final',
  allocation_number: 'no PDF of it bears its allocation number',
  cancelled: 'no PDF of it says that it is cancelled',
};

/** The steps of one document that are due and not done. What waits for a known instant that is to come is not among them. */
export function owedSteps(
  entry: BookEntry,
  audits: { allocation: AllocationAudit; delivery: DeliveryAudit; artifact: ArtifactAudit },
  now: Date,
): OwedStep[] {
  return [
    ...ofAllocation(entry, audits.allocation, now),
    ...ofDelivery(entry, audits.delivery, now),
    ...audits.artifact.owed.map(
      (step): OwedStep => ({
        words: words[step],
        due: new Date((step === 'cancelled' && entry.state.cancelled_at) || entry.document.issued_at),
        graceMs: stepGraceMs,
        by: step === 'cancelled' ? ['rendering'] : ['allocation', 'rendering'],
      }),
    ),
  ];
}

function ofAllocation({ document, allocation }: BookEntry, audit: AllocationAudit, now: Date): OwedStep[] {
  const step = (what: string, due: string, by: readonly MessagingService[]): OwedStep => ({
    words: what,
    due: new Date(due),
    graceMs: stepGraceMs,
    by,
  });
  const { state, next_attempt_at: next } = audit;
  if (state === null) {
    return [
      step('it is not decided whether it needs an allocation number', document.issued_at, ['allocation']),
    ];
  }
  const steps: OwedStep[] = [];
  if (state === 'asking' && !isToCome(next, now)) {
    steps.push(
      step('its allocation number is not asked for, though it is due', next ?? document.issued_at, [
        'allocation',
      ]),
    );
  }
  const settled = state === 'asking' || state === 'refused' || state === 'given_up' ? 'failed' : state;
  if (allocation?.status !== settled) {
    const recorded = allocation?.status ?? 'nothing';
    steps.push(
      step(
        `the book says ${recorded} of its allocation number, and the allocation service says ${state}`,
        document.issued_at,
        ['allocation', 'issuing'],
      ),
    );
  }
  return steps;
}

function ofDelivery(
  { document, state: standing, delivery }: BookEntry,
  audit: DeliveryAudit,
  now: Date,
): OwedStep[] {
  const issuedAt = new Date(document.issued_at);
  if (!audit.planned) {
    return [
      {
        words: 'it is not decided what is sent of it',
        due: issuedAt,
        graceMs: stepGraceMs,
        by: ['delivery'],
      },
    ];
  }
  const steps: OwedStep[] = [];
  if (delivery === null) {
    steps.push({
      words: 'the book does not know what is sent of it',
      due: issuedAt,
      graceMs: stepGraceMs,
      by: ['delivery', 'issuing'],
    });
  }
  for (const { state, channel, purpose, next_attempt_at: next } of audit.messages) {
    const message = `its message to the ${purpose} by ${channel}`;
    const due = new Date(next ?? document.issued_at);
    if (state === 'waiting') {
      const by = ['allocation', 'rendering', 'delivery'] as const;
      steps.push({ words: `${message} still waits for its PDF`, due: issuedAt, graceMs: stepGraceMs, by });
    }
    if (state === 'ready' && !isToCome(next, now)) {
      steps.push({ words: `${message} has not left, though it is due`, due, graceMs: stepGraceMs, by: [] });
    }
    if (state === 'sending' && !isToCome(next, now)) {
      steps.push({ words: `${message} never came back`, due, graceMs: stepGraceMs, by: [] });
    }
    if (state === 'withdrawn' && standing.cancelled_at === null) {
      const words = `${message} was withdrawn, though the document stands`;
      steps.push({ words, due: issuedAt, graceMs: stepGraceMs, by: [] });
    }
  }
  for (const channel of channelsOf(delivery?.channel ?? null)) {
    if (audit.messages.some((one) => one.purpose === 'customer' && one.channel === channel)) continue;
    const words = `it is to go to the customer by ${channel}, and there is no such message`;
    steps.push({ words, due: issuedAt, graceMs: stepGraceMs, by: [] });
  }
  return steps;
}

/** The channels of the messages that an outcome promises. */
function channelsOf(channel: NonNullable<BookEntry['delivery']>['channel']): readonly string[] {
  if (channel === null) return [];
  return channel === 'both' ? ['email', 'whatsapp'] : [channel];
}

const isToCome = (instant: string | null, now: Date): boolean => instant !== null && new Date(instant) > now;

/**
 * What is to be said of an owed step.
 * @param parkedBy the services that have given up a step of the document, where `pinkas queue dead` shows it.
 * @returns `parked` or `under_way`, or the fault.
 */
export function judgeStep(
  document: BookEntry['document'],
  step: OwedStep,
  parkedBy: ReadonlySet<MessagingService>,
  now: Date,
): 'parked' | 'under_way' | Fault {
  if (step.by.some((service) => parkedBy.has(service))) return 'parked';
  if (now.getTime() - step.due.getTime() < step.graceMs) return 'under_way';
  return faultOf('steps', document, step.words);
}

/** Holds the allocation number in the book against the one that the authority gave. */
export function faultsOfAllocation(
  { document, state, allocation }: BookEntry,
  { number }: AllocationAudit,
): Fault[] {
  const fault = (message: string) => faultOf('allocation', document, message);
  const faults: Fault[] = [];
  if (state.allocation_number !== null && state.allocation_number !== number) {
    faults.push(
      fault(
        `the book has the allocation number ${state.allocation_number}, and the authority gave ${number ?? 'none'}`,
      ),
    );
  }
  if (allocation && allocation.number !== state.allocation_number) {
    faults.push(
      fault(
        `its outcome names ${allocation.number ?? 'no allocation number'}, and the document bears ${state.allocation_number ?? 'none'}`,
      ),
    );
  }
  return faults;
}
