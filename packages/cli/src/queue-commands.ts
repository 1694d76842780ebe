import {
  type DeadLetter,
  listGivenUpAllocations,
  type MessagingService,
  messaging,
  messagingServices,
  type ReplyOf,
  retryAllocation,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';
import type { Ask, Command, Output } from './command.js';
import { readId } from './given-values.js';
import { Refusal } from './refusal.js';
import { table } from './table.js';

const pageSize = 200;

/** One step that nobody tries any more by itself, wherever it is kept. */
interface ParkedStep {
  /** What `redrive` takes. */
  readonly id: string;
  readonly service: MessagingService;
  readonly step: string;
  readonly document_id: string;
  readonly given_up_at: string;
  readonly attempts: number;
  readonly reason: string;
}

/** A place where steps are parked. */
interface ParkingPlace {
  /** The service that is asked. */
  readonly service: MessagingService;
  list(ask: Ask): Promise<ParkedStep[]>;
  /** Carries a step out. @returns null where no step of that id is parked here. */
  redrive(ask: Ask, id: string): Promise<Redriven | null>;
}

interface Redriven {
  readonly id: string;
  readonly service: MessagingService;
  /**
   * `failed`: it stays parked. Of an allocation number there is more that ends the parking: `refused`, by the authority;
   * `tried_again`: the try failed, and further ones follow by themselves.
   */
  readonly outcome: 'done' | 'done_before' | 'failed' | 'refused' | 'tried_again';
  /** Null where it is done. */
  readonly reason: string | null;
}

/** Steps that an event started, and that failed until they were given up. */
const deadLettersOf = (service: MessagingService): ParkingPlace => ({
  service,
  list: async (ask) => {
    const found: DeadLetter[] = [];
    let after: string | null = null;
    do {
      const page: ReplyOf<(typeof messaging)[MessagingService]['listDeadLetters']> = await ask(
        messaging[service].listDeadLetters,
        { limit: pageSize, ...(after === null ? {} : { after }) },
      );
      found.push(...page.dead_letters);
      after = page.next_after;
    } while (after !== null);
    return found.map(({ subject: _subject, consumer, ...letter }) => ({ ...letter, step: consumer }));
  },
  redrive: async (ask, id) => {
    const reply = await foundOrNull(ask(messaging[service].redriveDeadLetter, { id }));
    return reply && { id, service, ...reply };
  },
});

/** Documents for which the tax authority is not asked any more. Such a step has the document's id. */
const givenUpAllocations: ParkingPlace = {
  service: 'allocation',
  list: async (ask) => {
    const found: ParkedStep[] = [];
    let after: ReplyOf<typeof listGivenUpAllocations>['next_after'] = null;
    do {
      const page: ReplyOf<typeof listGivenUpAllocations> = await ask(listGivenUpAllocations, {
        limit: pageSize,
        ...(after === null ? {} : { after }),
      });
      for (const { document_id, given_up_at, attempts, reason } of page.documents) {
        const step = { service: 'allocation', step: 'allocation-number' } as const;
        found.push({ id: document_id, ...step, document_id, given_up_at, attempts, reason });
      }
      after = page.next_after;
    } while (after !== null);
    return found;
  },
  async redrive(ask, id) {
    // The id of any other document is no id of a parked step.
    const parked = await this.list(ask);
    if (!parked.some((one) => one.id === id)) return null;
    const reply = await ask(retryAllocation, { document_id: id });
    const outcome = outcomeOfRetry(reply);
    const isDone = outcome === 'done' || outcome === 'done_before';
    return { id, service: 'allocation', outcome, reason: isDone ? null : reply.reason };
  },
};

function outcomeOfRetry({
  outcome,
  next_attempt_at: next,
}: ReplyOf<typeof retryAllocation>): Redriven['outcome'] {
  switch (outcome) {
    case 'issued':
      return 'done';
    case 'not_retryable':
      return 'done_before';
    case 'refused':
      return 'refused';
    default:
      return next === null ? 'failed' : 'tried_again';
  }
}

const places: readonly ParkingPlace[] = [...messagingServices.map(deadLettersOf), givenUpAllocations];

async function foundOrNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}

/** Asks every place at once. One that does not answer takes nothing from the others, but is named. */
async function askAll<T>(question: (place: ParkingPlace) => Promise<T>) {
  const answers: T[] = [];
  const silent = new Set<MessagingService>();
  const outcomes = await Promise.allSettled(places.map(question));
  for (const [index, outcome] of outcomes.entries()) {
    const place = places[index];
    if (outcome.status === 'fulfilled') answers.push(outcome.value);
    // A system that cannot be reached at all says so itself.
    else if (!(outcome.reason instanceof Problem)) throw outcome.reason;
    else if (place) silent.add(place.service);
  }
  return { answers, silent: [...silent] };
}

const didNotAnswer = (silent: readonly MessagingService[]): string =>
  `${silent.join(' and ')} did not answer: see whether all services run with npm run up, and try again`;

async function showParked(ask: Ask): Promise<Output> {
  const { answers, silent } = await askAll((place) => place.list(ask));
  const steps = answers.flat().sort((a, b) => a.given_up_at.localeCompare(b.given_up_at));
  const rows = steps.map((one) => [
    one.id,
    one.step,
    one.document_id,
    one.given_up_at,
    String(one.attempts),
    one.reason,
  ]);
  const empty = silent.length === 0 ? 'Nothing is parked' : 'Nothing is parked in the services that answered';
  return {
    json: steps,
    text: rows.length === 0 ? empty : table(['id', 'step', 'document', 'when', 'tries', 'reason'], rows),
    ...(silent.length === 0 ? {} : { failure: `The list is not complete: ${didNotAnswer(silent)}` }),
  };
}

async function redrive(id: string, ask: Ask): Promise<Output> {
  const { answers, silent } = await askAll((place) => place.redrive(ask, id));
  const found = answers.find((one) => one !== null);
  if (!found) {
    throw new Refusal(
      silent.length === 0
        ? `No step with the id ${id} is parked: pinkas queue dead shows those that are`
        : `Where the step ${id} is parked, nobody knows: ${didNotAnswer(silent)}`,
    );
  }
  const reason = (found.reason ?? '').replace(/\.$/, '');
  switch (found.outcome) {
    case 'done':
      return { json: found, text: 'Done: the step is parked no more' };
    case 'done_before':
      return { json: found, text: 'It had been done already: the step is parked no more' };
    case 'refused':
      return {
        json: found,
        text: 'The tax authority refused: the step is parked no more',
        failure: `${reason}: after a won objection, pinkas allocation retry ${id} asks again`,
      };
    case 'tried_again':
      return {
        json: found,
        text: 'It failed again, and is tried by itself for another day: the step is parked no more',
        failure: `${reason}: pinkas allocation retry ${id} does not wait for that`,
      };
    default:
      return {
        json: found,
        text: 'It failed again, and stays parked',
        failure: `${reason}: mend that, then pinkas queue redrive ${id} tries it again`,
      };
  }
}

/** `pinkas queue …` */
export const queueCommands: readonly Command[] = [
  {
    noun: 'queue',
    verb: 'dead',
    does: 'lists the steps that were given up, the oldest first, with their reasons',
    arguments: [],
    options: {},
    run: (_given, ask) => showParked(ask),
  },
  {
    noun: 'queue',
    verb: 'redrive',
    does: 'carries out now a step that was given up',
    arguments: ['ID'],
    options: {},
    run: ({ arguments: { ID } }, ask) => redrive(readId(ID, 'queue dead'), ask),
  },
];
