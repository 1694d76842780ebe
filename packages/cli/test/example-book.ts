import {
  type BookEntry,
  type Contract,
  type DocumentType,
  type IssuedDocument,
  type MessagingService,
  messaging,
  messagingServices,
} from '@pinkas/contracts';
import { exampleDocument } from '@pinkas/testkit';
import type { Ask } from '../src/command.js';
import type { AllocationAudit, ArtifactAudit } from '../src/verify/owed-steps.js';
import type { DeliveryAudit } from '../src/verify/sent-once.js';

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
    source: null,
    received: 0,
    ...change,
  };
}

/** What the other services say of a document of a sound book. */
export interface Audits {
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
    ended_at: '2026-06-15T08:00:05.000Z',
    reason: null,
    accepted: 1,
    unknown: 0,
    resends: 0,
    ...change,
  };
}

export function exampleAudits({ id }: { id: string }, change: Partial<Audits> = {}): Audits {
  return {
    allocation: { document_id: id, state: 'issued', number: '123456789', next_attempt_at: null },
    delivery: { document_id: id, planned: true, messages: [exampleMessage()] },
    artifact: { document_id: id, revisions: 2, faults: [], owed: [] },
    ...change,
  };
}

/** The services as they answer for one book. What is changed in it, they answer from then on. */
export interface ExampleSystem {
  entries: BookEntry[];
  series: { type: DocumentType; next_number: number; last_date: string }[];
  audits: Map<string, Audits>;
  deadLetters: { service: MessagingService; document_id: string }[];
  /** The subjects that were asked, in order. */
  asked: string[];
  /** Called before each answer. */
  onAsk: (subject: string) => void;
  ask: Ask;
}

/** A system with a sound book of some documents of one type. */
export function exampleSystem(count: number): ExampleSystem {
  const entries = Array.from({ length: count }, (_, index) => exampleEntry({ number: index + 1 }));
  const system: ExampleSystem = {
    entries,
    series: [{ type: 'tax_invoice', next_number: count + 1, last_date: '2026-06-15' }],
    audits: new Map(entries.map(({ document }) => [document.id, exampleAudits(document)])),
    deadLetters: [],
    asked: [],
    onAsk: () => {},
    ask: (async (contract: Contract, request: Record<string, unknown>) => {
      system.asked.push(contract.subject);
      system.onAsk(contract.subject);
      return answerOf(system, contract.subject, request);
    }) as Ask,
  };
  return system;
}

function answerOf(system: ExampleSystem, subject: string, request: Record<string, unknown>): unknown {
  const parked = messagingServices.find((service) => messaging[service].listDeadLetters.subject === subject);
  if (parked) {
    return {
      dead_letters: system.deadLetters.filter(({ service }) => service === parked),
      next_after: null,
    };
  }
  const auditsOf = (ids: readonly string[], part: keyof Audits) => ({
    documents: ids.flatMap((id) => system.audits.get(id)?.[part] ?? []),
  });
  const ids = request.document_ids as string[];
  switch (subject) {
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
      return auditsOf(
        (request.documents as { document_id: string }[]).map(({ document_id }) => document_id),
        'artifact',
      );
    default:
      throw new Error(`nobody answers ${subject}`);
  }
}
