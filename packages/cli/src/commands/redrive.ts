import type { MessagingService } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import type { Call, Output, Progress } from '../builder/command.js';
import { RefusalError } from '../builder/usage-error.js';
import {
  callAllSources,
  type DeadLetter,
  type DeadLetterSource,
  type Redriven,
  unreachableText,
} from './dead-letters.js';

/** What is printed for each outcome: of one dead letter, and of many; `next` says what to do, where something is left to do. */
interface OutcomeText {
  readonly one: string;
  readonly many: string;
  readonly staysDeadLettered?: true;
  next?(id: string): string;
}

type Outcome = Redriven['outcome'] | 'unreachable';

const outcomeTexts: Readonly<Record<Outcome, OutcomeText>> = {
  handled: { one: 'Handled: it is no longer dead-lettered', many: 'handled' },
  already_handled: { one: 'It was handled already: it is no longer dead-lettered', many: 'handled' },
  refused: {
    one: 'The tax authority refused: it is no longer dead-lettered',
    many: 'refused by the tax authority, no longer dead-lettered',
    next: (id) => `after a won objection, run pinkas allocation retry ${id}`,
  },
  retrying: {
    one: 'It failed again, and is retried for another day: it is no longer dead-lettered',
    many: 'failed again, retried for another day',
    next: (id) => `to retry at once, run pinkas allocation retry ${id}`,
  },
  failed: {
    one: 'It failed again, and stays dead-lettered',
    many: 'still dead-lettered',
    staysDeadLettered: true,
    next: (id) => `correct the cause, then run pinkas queue redrive ${id}`,
  },
  unreachable: { one: '', many: 'still dead-lettered', staysDeadLettered: true },
  not_redrivable: {
    one: 'It stays dead-lettered: no redrive can succeed',
    many: 'still dead-lettered, can only be dropped',
    staysDeadLettered: true,
    next: (id) => `to remove it, run pinkas queue drop ${id}`,
  },
};

export function notDeadLettered(id: string, unreachable: readonly MessagingService[]): RefusalError {
  return new RefusalError(
    unreachable.length === 0
      ? `No dead letter has the id ${id}: pinkas queue dead shows them`
      : `No service that answered has the dead letter ${id}: ${unreachableText(unreachable)}`,
  );
}

/** Redrives the dead letter with the id, in whichever source it is. */
export async function redriveOne(id: string, call: Call): Promise<Output> {
  const { results, unreachable } = await callAllSources(async (source) =>
    source.has && !(await source.has(call, id)) ? null : source.redrive(call, id),
  );
  const redriven = results.find((result) => result !== null);
  if (!redriven) {
    throw notDeadLettered(id, unreachable);
  }
  const { one, next } = outcomeTexts[redriven.outcome];
  const reason = (redriven.reason ?? '').replace(/\.$/, '');
  return { json: redriven, text: one, ...(next && { failure: `${reason}: ${next(id)}` }) };
}

/** The result of one of many redrives; `unreachable`: its service did not answer. */
interface Result {
  readonly deadLetter: DeadLetter;
  readonly outcome: Outcome;
  readonly reason: string | null;
}

/**
 * Redrives all that is dead-lettered now, one after the other, the oldest first. A service that does not answer is not called
 * again.
 * @param consumer where given, only the dead letters of this consumer.
 */
export async function redriveAll(
  consumer: string | undefined,
  call: Call,
  progress: Progress,
): Promise<Output> {
  const listed = await callAllSources(async (source) =>
    (await source.list(call)).map((deadLetter) => ({ source, deadLetter })),
  );
  const queue = listed.results
    .flat()
    .filter(({ deadLetter }) => consumer === undefined || deadLetter.consumer === consumer)
    .sort((a, b) => a.deadLetter.dead_lettered_at.localeCompare(b.deadLetter.dead_lettered_at));
  const unreachable = new Set(listed.unreachable);
  const results: Result[] = [];
  for (const [index, { source, deadLetter }] of queue.entries()) {
    progress.show(`Redriving ${index + 1} of ${queue.length}: ${deadLetter.consumer}`);
    const result = await redriveListed(source, deadLetter, unreachable, call);
    if (result.outcome === 'unreachable') {
      unreachable.add(source.service);
    }
    results.push(result);
  }
  return outputOf(results, consumer, [...unreachable]);
}

async function redriveListed(
  source: DeadLetterSource,
  deadLetter: DeadLetter,
  unreachable: ReadonlySet<MessagingService>,
  call: Call,
): Promise<Result> {
  if (!deadLetter.redrivable) {
    return { deadLetter, outcome: 'not_redrivable', reason: deadLetter.reason };
  }
  const notCalled = {
    deadLetter,
    outcome: 'unreachable',
    reason: `${source.service} did not answer`,
  } as const;
  if (unreachable.has(source.service)) {
    return notCalled;
  }
  try {
    const redriven = await source.redrive(call, deadLetter.id);
    // Null: another redrive, or an attempt of its own, has handled it since it was listed.
    return { deadLetter, outcome: redriven?.outcome ?? 'already_handled', reason: redriven?.reason ?? null };
  } catch (error) {
    if (error instanceof ApiError) {
      return notCalled;
    }
    throw error;
  }
}

function outputOf(
  results: readonly Result[],
  consumer: string | undefined,
  unreachable: readonly MessagingService[],
): Output {
  const remaining = results.filter(({ outcome }) => outcomeTexts[outcome].staysDeadLettered).length;
  const failures = [
    ...(unreachable.length === 0 ? [] : [unreachableText(unreachable)]),
    ...(remaining === 0
      ? []
      : [`${remaining} of ${results.length} stay dead-lettered: pinkas queue dead shows them`]),
  ];
  const nothing = `Nothing ${consumer === undefined ? '' : `of ${consumer} `}is dead-lettered`;
  const empty = unreachable.length === 0 ? nothing : `${nothing} in the services that answered`;
  return {
    json: results.map(({ deadLetter: { id, service, consumer: name }, outcome, reason }) => ({
      id,
      service,
      consumer: name,
      outcome,
      reason,
    })),
    text: results.length === 0 ? empty : summaryOf(results),
    ...(failures.length === 0 ? {} : { failure: failures.join('; ') }),
  };
}

/** How many had which outcome, and under each the reasons, the most frequent first. */
function summaryOf(results: readonly Result[]): string {
  const texts = [...new Set(Object.values(outcomeTexts).map(({ many }) => many))];
  return texts
    .flatMap((text) => {
      const matching = results.filter(({ outcome }) => outcomeTexts[outcome].many === text);
      return matching.length === 0 ? [] : [`${matching.length} ${text}`, ...reasonsOf(matching)];
    })
    .join('\n');
}

function reasonsOf(results: readonly Result[]): string[] {
  const counts = new Map<string, number>();
  for (const { deadLetter, reason } of results) {
    if (reason !== null) {
      const line = `${deadLetter.consumer}: ${reason}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([line, count]) => `  ${count} × ${line}`);
}
