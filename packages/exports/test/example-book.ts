import {
  type BookEntry,
  type Call,
  type Contract,
  firstDetails,
  type IssuedDocument,
  type listSeries,
  type MessagingService,
  messaging,
  messagingServices,
  type ReplyOf,
} from '@pinkas/contracts';
import { exampleDocument } from '@pinkas/testkit';
import type { DeliveryAudit } from '../src/verify/delivery-sends.js';
import type { AllocationAudit, ArtifactAudit, CustomerAudit } from '../src/verify/pending-work.js';

/** An entry of a sound book: an invoice of 6,000 net with its allocation number. */
export function exampleEntry(
  document: Partial<IssuedDocument> = {},
  change: Partial<Omit<BookEntry, 'document'>> = {},
): BookEntry {
  return {
    document: exampleDocument(document),
    state: { status: 'open', paid: 0, allocation_number: '123456789', cancelled_at: null },
    allocation: { status: 'issued', number: '123456789', reason: null },
    delivery: { status: 'queued', channel: 'email', scheduled_for: null },
    artifact_sha256: 'ab'.repeat(32),
    hash: 'cd'.repeat(32),
    series_position: 1,
    source: null,
    received: 0,
    invoiced: false,
    credited: null,
    ...change,
  };
}

/** The entries of a sound book, numbered from 1. */
export const exampleBook = (count: number): BookEntry[] =>
  Array.from({ length: count }, (_, index) => exampleEntry({ number: index + 1 }));

/** What the other services have stored of a document; mutable, so that a test can damage it. */
export interface Audits {
  customer: CustomerAudit;
  allocation: AllocationAudit;
  delivery: DeliveryAudit;
  artifact: ArtifactAudit;
}

/** A message that was sent. */
export function exampleMessage(
  change: Partial<DeliveryAudit['messages'][number]> = {},
): DeliveryAudit['messages'][number] {
  return {
    delivery_id: '00000000-0000-4000-8000-000000000001',
    channel: 'email',
    purpose: 'customer',
    recipient: 'customer@example.com',
    state: 'sent',
    next_attempt_at: null,
    not_before: null,
    held_until: null,
    follow_up: false,
    requested: false,
    ended_at: '2026-06-15T08:00:05.000Z',
    reason: null,
    accepted: 1,
    unknown: 0,
    without_number: 0,
    resends: 0,
    ...change,
  };
}

export function exampleAudits({ id }: { id: string }, change: Partial<Audits> = {}): Audits {
  return {
    customer: { document_id: id, details: [...firstDetails] },
    allocation: {
      document_id: id,
      state: 'issued',
      number: '123456789',
      next_attempt_at: null,
      settled_at: '2026-06-15T08:00:01.000Z',
    },
    delivery: { document_id: id, messages: [exampleMessage()] },
    artifact: { document_id: id, revisions: 2, findings: [], pending: [] },
    ...change,
  };
}

/** Fake services with one book; they reply with its current contents. */
export interface ExampleSystem {
  entries: BookEntry[];
  series: ReplyOf<typeof listSeries>['series'];
  audits: Map<string, Audits>;
  deadLetters: { service: MessagingService; document_id: string }[];
  /** The subjects that were called, in order. */
  subjects: string[];
  /** Called before each reply. */
  onCall: (subject: string) => void;
  call: Call;
}

/** A system with a sound book of some documents of one type. */
export function exampleSystem(count: number): ExampleSystem {
  const entries = exampleBook(count);
  const system: ExampleSystem = {
    entries,
    series: [{ type: 'tax_invoice', first_number: 1, next_number: count + 1, last_date: '2026-06-15' }],
    audits: new Map(entries.map(({ document }) => [document.id, exampleAudits(document)])),
    deadLetters: [],
    subjects: [],
    onCall: () => {},
    call: (async (contract: Contract, request: Record<string, unknown>) => {
      system.subjects.push(contract.subject);
      system.onCall(contract.subject);
      return answerOf(system, contract.subject, request);
    }) as Call,
  };
  return system;
}

function answerOf(system: ExampleSystem, subject: string, request: Record<string, unknown>): unknown {
  const owner = messagingServices.find((service) => messaging[service].listDeadLetters.subject === subject);
  if (owner) {
    return {
      dead_letters: system.deadLetters.filter(({ service }) => service === owner),
      next_after: null,
    };
  }
  const auditsOf = (ids: readonly string[], part: keyof Audits) => ({
    documents: ids.flatMap((id) => system.audits.get(id)?.[part] ?? []),
  });
  const ids = request.document_ids as string[];
  const idsIn = (documents: unknown) =>
    (documents as { document_id: string }[]).map(({ document_id }) => document_id);
  if (subject.endsWith('.audit_entry.list.v1')) {
    return { entries: [], head: null, next_after: null };
  }
  switch (subject) {
    case 'rpc.issuing.series.audit.v1':
      return { documents: [], wrong_sums: [], head: null, next_after: null };
    case 'rpc.issuing.series.list.v1':
      return { series: system.series };
    case 'rpc.issuing.book.read.v1': {
      const after = request.after as { id: string } | null;
      const from = after ? system.entries.findIndex(({ document }) => document.id === after.id) + 1 : 0;
      const entries = system.entries.slice(from, from + (request.limit as number));
      const last = entries.at(-1)?.document;
      const isEnd = from + entries.length >= system.entries.length;
      return {
        entries,
        next_after: last && !isEnd ? { type: last.type, number: last.number, id: last.id } : null,
      };
    }
    case 'rpc.allocation.document.audit.v1':
      return auditsOf(ids, 'allocation');
    case 'rpc.delivery.document.audit.v1':
      return auditsOf(ids, 'delivery');
    case 'rpc.rendering.artifact.audit.v1':
      return auditsOf(idsIn(request.documents), 'artifact');
    case 'rpc.customer.card.audit.v1':
      return auditsOf(idsIn(request.documents), 'customer');
    default:
      throw new Error(`no reply to ${subject}`);
  }
}
