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
import type { Ask, Command, Output, Progress } from './command.js';
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
  /** False: no redrive can succeed, and the step can only be dropped. */
  readonly redrivable: boolean;
}

/** A place where steps are parked. */
interface ParkingPlace {
  /** The service that is asked. */
  readonly service: MessagingService;
  list(ask: Ask): Promise<ParkedStep[]>;
  /** Whether a step of that id may be parked here; left out where only carrying it out tells. */
  holds?(ask: Ask, id: string): Promise<boolean>;
  /** Carries a step out. @returns null where no step of that id is parked here. */
  redrive(ask: Ask, id: string): Promise<Redriven | null>;
}

interface Redriven {
  readonly id: string;
  readonly service: MessagingService;
  /**
   * `failed`: it stays parked. `impossible`: so it does, and can only be dropped. Of an allocation number there is more that ends the parking: `refused`, by the authority;
   * `tried_again`: the try failed, and further ones follow by themselves.
   */
  readonly outcome: 'done' | 'done_before' | 'failed' | 'impossible' | 'refused' | 'tried_again';
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
        found.push({
          id: document_id,
          ...step,
          document_id,
          given_up_at,
          attempts,
          reason,
          redrivable: true,
        });
      }
      after = page.next_after;
    } while (after !== null);
    return found;
  },
  // The id of any other document is no id of a parked step.
  holds: async (ask, id) => {
    const parked = await givenUpAllocations.list(ask);
    return parked.some((one) => one.id === id);
  },
  redrive: async (ask, id) => {
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
    one.redrivable ? one.reason : `${one.reason} (it can only be dropped)`,
  ]);
  const empty = silent.length === 0 ? 'Nothing is parked' : 'Nothing is parked in the services that answered';
  return {
    json: steps,
    text: rows.length === 0 ? empty : table(['id', 'step', 'document', 'when', 'tries', 'reason'], rows),
    ...(silent.length === 0 ? {} : { failure: `The list is not complete: ${didNotAnswer(silent)}` }),
  };
}

async function redrive(id: string, ask: Ask): Promise<Output> {
  const { answers, silent } = await askAll(async (place) =>
    place.holds && !(await place.holds(ask, id)) ? null : place.redrive(ask, id),
  );
  const found = answers.find((one) => one !== null);
  if (!found) throw notParked(id, silent);
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
    case 'impossible':
      return {
        json: found,
        text: 'It stays parked: no redrive can succeed',
        failure: `${reason}: pinkas queue drop ${id} removes it`,
      };
    default:
      return {
        json: found,
        text: 'It failed again, and stays parked',
        failure: `${reason}: mend that, then pinkas queue redrive ${id} tries it again`,
      };
  }
}

function notParked(id: string, silent: readonly MessagingService[]): Refusal {
  return new Refusal(
    silent.length === 0
      ? `No step with the id ${id} is parked: pinkas queue dead shows those that are`
      : `Where the step ${id} is parked, nobody knows: ${didNotAnswer(silent)}`,
  );
}

/** What became of one of many steps; `unanswered`: its service said nothing, and the step is where it was. */
interface Settled {
  readonly step: ParkedStep;
  readonly outcome: Redriven['outcome'] | 'unanswered';
  readonly reason: string | null;
}

/** What is said of each outcome, in this order. */
const outcomeWords: readonly (readonly [words: string, outcomes: readonly Settled['outcome'][]])[] = [
  ['done', ['done', 'done_before']],
  ['refused by the tax authority, and parked no more', ['refused']],
  ['failed again, and tried by themselves for another day', ['tried_again']],
  ['still parked', ['failed', 'unanswered']],
  ['still parked, and only to be dropped', ['impossible']],
];
const staying: readonly Settled['outcome'][] = ['failed', 'impossible', 'unanswered'];

/**
 * Redrives everything that is parked when it begins, one after the other: what is parked anew meanwhile is left. A service that
 * does not answer is asked no more.
 */
async function redriveAll(stepName: string | undefined, ask: Ask, progress: Progress): Promise<Output> {
  const { answers, silent } = await askAll(async (place) => ({ place, steps: await place.list(ask) }));
  const parked = answers
    .flatMap(({ place, steps }) => steps.map((step) => ({ place, step })))
    .filter(({ step }) => stepName === undefined || step.step === stepName)
    .sort((a, b) => a.step.given_up_at.localeCompare(b.step.given_up_at));
  const mute = new Set(silent);
  const settled: Settled[] = [];
  for (const [index, { place, step }] of parked.entries()) {
    progress.show(`Redriving ${index + 1} of ${parked.length}: ${step.step}`);
    const one = await settle(place, step, mute, ask);
    if (one.outcome === 'unanswered') mute.add(place.service);
    settled.push(one);
  }
  const stays = settled.filter(({ outcome }) => staying.includes(outcome)).length;
  const failures = [
    ...(mute.size === 0 ? [] : [didNotAnswer([...mute])]),
    ...(stays === 0 ? [] : [`${stays} of ${parked.length} stay parked: pinkas queue dead shows them`]),
  ];
  const what = stepName === undefined ? 'Nothing' : `No step ${stepName}`;
  return {
    json: settled.map(({ step: { id, service, step }, outcome, reason }) => ({
      id,
      service,
      step,
      outcome,
      reason,
    })),
    text:
      settled.length === 0
        ? `${what} is parked${mute.size === 0 ? '' : ' in the services that answered'}`
        : summaryOf(settled),
    ...(failures.length === 0 ? {} : { failure: failures.join('; ') }),
  };
}

async function settle(
  place: ParkingPlace,
  step: ParkedStep,
  mute: ReadonlySet<MessagingService>,
  ask: Ask,
): Promise<Settled> {
  if (!step.redrivable) return { step, outcome: 'impossible', reason: step.reason };
  const unanswered = { step, outcome: 'unanswered', reason: `${place.service} did not answer` } as const;
  if (mute.has(place.service)) return unanswered;
  try {
    // What is parked no more has been carried out by somebody else.
    const redriven = await place.redrive(ask, step.id);
    return { step, outcome: redriven?.outcome ?? 'done_before', reason: redriven?.reason ?? null };
  } catch (error) {
    if (error instanceof Problem) return unanswered;
    throw error;
  }
}

/** How many came to what, and under each the reasons, the most frequent first. */
function summaryOf(settled: readonly Settled[]): string {
  return outcomeWords
    .flatMap(([words, outcomes]) => {
      const those = settled.filter(({ outcome }) => outcomes.includes(outcome));
      const counts = new Map<string, number>();
      for (const { step, reason } of those) {
        if (reason === null) continue;
        const line = `${step.step}: ${reason}`;
        counts.set(line, (counts.get(line) ?? 0) + 1);
      }
      const reasons = [...counts]
        .sort(([, a], [, b]) => b - a)
        .map(([line, count]) => `  ${count} × ${line}`);
      return those.length === 0 ? [] : [`${those.length} ${words}`, ...reasons];
    })
    .join('\n');
}

async function drop(id: string, ask: Ask): Promise<Output> {
  const { answers, silent } = await askAll(async ({ service, holds }) => {
    if (holds) return (await holds(ask, id)) ? ('allocation number' as const) : null;
    const reply = await foundOrNull(ask(messaging[service].dropDeadLetter, { id }));
    return reply && { id, service, ...reply };
  });
  const found = answers.find((one) => one !== null);
  if (!found) throw notParked(id, silent);
  if (found === 'allocation number') {
    throw new Refusal(
      `There is nothing to drop: an allocation number was given up, which pinkas allocation retry ${id} asks for again`,
    );
  }
  if (found.outcome === 'redrivable') {
    throw new Refusal(
      `It is not dropped, since it can still be carried out (${found.reason.replace(/\.$/, '')}): mend that, then pinkas queue redrive ${id}`,
    );
  }
  return {
    json: found,
    text: `Dropped: the step is parked no more, and is never carried out (${found.reason})`,
  };
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
    does: 'carries out now a step that was given up, or all of them',
    arguments: ['ID'],
    insteadOfArguments: 'all',
    options: {
      all: { value: null, meaning: 'everything that is parked, one after the other' },
      step: { value: 'NAME', meaning: 'with --all: only of this step' },
    },
    run: ({ arguments: { ID }, options: { all, step } }, ask, progress) => {
      if (all !== undefined) return redriveAll(step, ask, progress);
      if (step !== undefined) throw new Refusal('--step goes with --all: see pinkas queue --help');
      return redrive(readId(ID, 'queue dead'), ask);
    },
  },
  {
    noun: 'queue',
    verb: 'drop',
    does: 'removes a step that was given up and that no redrive can carry out',
    arguments: ['ID'],
    options: {},
    run: ({ arguments: { ID } }, ask) => drop(readId(ID, 'queue dead'), ask),
  },
];
