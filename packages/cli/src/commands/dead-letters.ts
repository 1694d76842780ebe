import {
  listDeadLetteredAllocations,
  type MessagingService,
  messaging,
  messagingServices,
  type ReplyOf,
  retryAllocation,
} from '@pinkas/contracts';
import { allOf } from '@pinkas/exports/verify';
import { ApiError } from '@pinkas/service-kit/client';
import type { Call } from '../builder/command.js';

const pageSize = 200;

/** Dead-lettered work of a document, in the service that stores it. */
export interface DeadLetter {
  /** The input of `queue redrive`. */
  readonly id: string;
  readonly service: MessagingService;
  /** The durable name of the consumer; `allocation-number` and `donation-report` for a request to the tax authority. */
  readonly consumer: string;
  readonly document_id: string;
  readonly dead_lettered_at: string;
  readonly attempts: number;
  readonly reason: string;
  /** False: no redrive can succeed, and it can only be dropped. */
  readonly redrivable: boolean;
}

/** The result of a redrive. */
export interface Redriven {
  readonly id: string;
  readonly service: MessagingService;
  /**
   * `failed` and `not_redrivable` leave it dead-lettered. For an allocation number there are also `refused` (by the tax authority)
   * and `retrying`: the attempt failed, and further ones follow.
   */
  readonly outcome: 'handled' | 'already_handled' | 'failed' | 'not_redrivable' | 'refused' | 'retrying';
  /** Null where it was handled. */
  readonly reason: string | null;
}

/** The services that store dead letters. */
export interface DeadLetterSource {
  readonly service: MessagingService;
  list(call: Call): Promise<DeadLetter[]>;
  /** Whether the source has a dead letter with the id; absent where `redrive` finds out. */
  has?(call: Call, id: string): Promise<boolean>;
  /** @returns null where the source has no dead letter with the id. */
  redrive(call: Call, id: string): Promise<Redriven | null>;
  /** @returns null where the source has no dead letter with the id; `not_droppable` for one that is never dropped. */
  drop(call: Call, id: string): Promise<Dropped | 'not_droppable' | null>;
}

export interface Dropped {
  readonly id: string;
  readonly service: MessagingService;
  readonly outcome: 'dropped' | 'redrivable';
  readonly reason: string;
}

/** Events whose handling failed for good. */
const deadLettersOf = (service: MessagingService): DeadLetterSource => ({
  service,
  list: async (call) => {
    const { listDeadLetters } = messaging[service];
    const found = await allOf(call, listDeadLetters, { limit: pageSize }, (page) => page.dead_letters);
    return found.map(({ subject: _subject, ...deadLetter }) => deadLetter);
  },
  redrive: async (call, id) => {
    const reply = await nullIfNotFound(call(messaging[service].redriveDeadLetter, { id }));
    return reply && { id, service, ...reply };
  },
  drop: async (call, id) => {
    const reply = await nullIfNotFound(call(messaging[service].dropDeadLetter, { id }));
    return reply && { id, service, ...reply };
  },
});

/** @param only where given, no other document. */
async function listAllocations(call: Call, only?: string): Promise<DeadLetter[]> {
  const request = { limit: pageSize, ...(only !== undefined && { document_id: only }) };
  const found = await allOf(call, listDeadLetteredAllocations, request, ({ documents }) => documents);
  return found.map(({ document_id, kind, dead_lettered_at, attempts, reason }) => ({
    id: document_id,
    service: 'allocation',
    consumer: kind === 'donation' ? 'donation-report' : 'allocation-number',
    document_id,
    dead_lettered_at,
    attempts,
    reason,
    redrivable: true,
  }));
}

/** A service of the release before lists all of them. */
const isDeadLetteredAllocation = async (call: Call, id: string): Promise<boolean> =>
  (await listAllocations(call, id)).some((deadLetter) => deadLetter.id === id);

/** Dead-lettered requests for allocation numbers, by the document's id; a redrive of any other document would be a retry. */
const deadLetteredAllocations: DeadLetterSource = {
  service: 'allocation',
  list: (call) => listAllocations(call),
  has: isDeadLetteredAllocation,
  redrive: async (call, id) => {
    const reply = await call(retryAllocation, { document_id: id });
    const outcome = outcomeOfRetry(reply);
    const isHandled = outcome === 'handled' || outcome === 'already_handled';
    return { id, service: 'allocation', outcome, reason: isHandled ? null : reply.reason };
  },
  drop: async (call, id) => ((await isDeadLetteredAllocation(call, id)) ? 'not_droppable' : null),
};

function outcomeOfRetry(reply: ReplyOf<typeof retryAllocation>): Redriven['outcome'] {
  switch (reply.outcome) {
    case 'issued':
      return 'handled';
    case 'not_retryable':
      return 'already_handled';
    case 'refused':
      return 'refused';
    default:
      return reply.next_attempt_at === null ? 'failed' : 'retrying';
  }
}

const deadLetterSources: readonly DeadLetterSource[] = [
  ...messagingServices.map(deadLettersOf),
  deadLetteredAllocations,
];

async function nullIfNotFound<T>(reply: Promise<T>): Promise<T | null> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') {
      return null;
    }
    throw error;
  }
}

/**
 * Calls every source at once. A service that does not reply is reported; the others still count.
 * @throws what is no ApiError: the complete system is unreachable.
 */
export async function callAllSources<T>(
  work: (source: DeadLetterSource) => Promise<T>,
): Promise<{ results: T[]; unreachable: MessagingService[] }> {
  const results: T[] = [];
  const unreachable = new Set<MessagingService>();
  const outcomes = await Promise.allSettled(deadLetterSources.map(work));
  for (const [index, outcome] of outcomes.entries()) {
    const source = deadLetterSources[index];
    if (outcome.status === 'fulfilled') {
      results.push(outcome.value);
    } else if (!(outcome.reason instanceof ApiError)) {
      throw outcome.reason;
    } else if (source) {
      unreachable.add(source.service);
    }
  }
  return { results, unreachable: [...unreachable] };
}

export const unreachableText = (services: readonly MessagingService[]): string =>
  `${services.join(' and ')} did not answer: check that all services run, and try again`;
