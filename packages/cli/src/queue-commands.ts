import { readId } from './arguments.js';
import type { Call, Command, Output } from './command.js';
import { callAllSources, unreachableText } from './dead-letters.js';
import { notDeadLettered, redriveAll, redriveOne } from './redrive.js';
import { table } from './table.js';
import { RefusalError, UsageError } from './usage-error.js';

async function listDeadLetters(call: Call): Promise<Output> {
  const { results, unreachable } = await callAllSources((source) => source.list(call));
  const deadLetters = results.flat().sort((a, b) => a.dead_lettered_at.localeCompare(b.dead_lettered_at));
  const rows = deadLetters.map((deadLetter) => [
    deadLetter.id,
    deadLetter.consumer,
    deadLetter.document_id,
    deadLetter.dead_lettered_at,
    String(deadLetter.attempts),
    deadLetter.redrivable ? deadLetter.reason : `${deadLetter.reason} (can only be dropped)`,
  ]);
  const empty =
    unreachable.length === 0
      ? 'Nothing is dead-lettered'
      : 'Nothing is dead-lettered in the services that answered';
  return {
    json: deadLetters,
    text:
      rows.length === 0
        ? empty
        : table(['id', 'consumer', 'document', 'dead-lettered at', 'attempts', 'reason'], rows),
    ...(unreachable.length === 0
      ? {}
      : { failure: `The list is not complete: ${unreachableText(unreachable)}` }),
  };
}

async function drop(id: string, call: Call): Promise<Output> {
  const { results, unreachable } = await callAllSources((source) => source.drop(call, id));
  const dropped = results.find((result) => result !== null);
  if (!dropped) {
    throw notDeadLettered(id, unreachable);
  }
  if (dropped === 'not_droppable') {
    throw new RefusalError(
      `A request for an allocation number cannot be dropped: pinkas allocation retry ${id} repeats it`,
    );
  }
  const reason = dropped.reason.replace(/\.$/, '');
  if (dropped.outcome === 'redrivable') {
    throw new RefusalError(
      `It is not dropped, since it can still be handled (${reason}): correct the cause, then run pinkas queue redrive ${id}`,
    );
  }
  return {
    json: dropped,
    text: `Dropped: it is no longer dead-lettered, and will never be handled (${dropped.reason})`,
  };
}

/** `pinkas queue …` */
export const queueCommands: readonly Command[] = [
  {
    noun: 'queue',
    verb: 'dead',
    summary: 'lists dead-lettered work with its reason, the oldest first',
    arguments: [],
    options: {},
    run: (_input, call) => listDeadLetters(call),
  },
  {
    noun: 'queue',
    verb: 'redrive',
    summary: 'handles dead-lettered work again, now: one dead letter or all of them',
    arguments: ['ID'],
    argumentsOption: 'all',
    options: {
      all: { value: null, meaning: 'everything that is dead-lettered, one after the other' },
      consumer: { value: 'NAME', meaning: 'with --all: only the work of this consumer' },
    },
    run: ({ arguments: { ID }, options: { all, consumer } }, call, progress) => {
      if (all !== undefined) {
        return redriveAll(consumer, call, progress);
      }
      if (consumer !== undefined) {
        throw new UsageError('--consumer requires --all: see pinkas queue --help');
      }
      return redriveOne(readId(ID, 'queue dead'), call);
    },
  },
  {
    noun: 'queue',
    verb: 'drop',
    summary: 'removes dead-lettered work that no redrive can handle',
    arguments: ['ID'],
    options: {},
    run: ({ arguments: { ID } }, call) => drop(readId(ID, 'queue dead'), call),
  },
];
