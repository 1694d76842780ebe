import { idFrom } from '../builder/arguments.js';
import type { Call, Command, Output } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { RefusalError, UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';
import { callAllSources, unreachableText } from './dead-letters.js';
import { notDeadLettered, redriveAll, redriveOne } from './redrive.js';

async function listDeadLetters(call: Call): Promise<Output> {
  const { results, unreachable } = await callAllSources((source) => source.list(call));
  const deadLetters = results.flat().sort((a, b) => a.dead_lettered_at.localeCompare(b.dead_lettered_at));
  const empty =
    unreachable.length === 0
      ? 'Nothing is dead-lettered'
      : 'Nothing is dead-lettered in the services that answered';
  return {
    ...listed(
      deadLetters,
      {
        id: (deadLetter) => deadLetter.id,
        consumer: ({ consumer }) => consumer,
        document: (deadLetter) => deadLetter.document_id,
        'dead-lettered at': (deadLetter) => deadLetter.dead_lettered_at,
        attempts: ({ attempts }) => String(attempts),
        reason: ({ reason, redrivable }) => (redrivable ? reason : `${reason} (can only be dropped)`),
      },
      empty,
    ),
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

const deadLetterId = idFrom('queue dead');

/** `pinkas queue …` */
export const queueCommands: readonly Command[] = [
  verb('queue dead', {
    summary: 'lists dead-lettered work with its reason, the oldest first',
    run: (_values, call) => listDeadLetters(call),
  }),
  verb('queue redrive', {
    summary: 'handles dead-lettered work again, now: one dead letter or all of them',
    arguments: { ID: deadLetterId },
    argumentsOption: 'all',
    options: {
      all: { value: null, meaning: 'everything that is dead-lettered, one after the other' },
      consumer: { value: 'NAME', meaning: 'with --all: only the work of this consumer' },
    },
    run: ({ ID, all, consumer }, call, progress) => {
      if (all) {
        return redriveAll(consumer, call, progress);
      }
      if (consumer !== undefined) {
        throw new UsageError('--consumer requires --all: see pinkas queue --help');
      }
      return redriveOne(ID, call);
    },
  }),
  verb('queue drop', {
    summary: 'removes dead-lettered work that no redrive can handle',
    arguments: { ID: deadLetterId },
    run: ({ ID }, call) => drop(ID, call),
  }),
];
