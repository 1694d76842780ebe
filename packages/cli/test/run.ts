import type { Contract } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import type { Call, CallEach, Output } from '../src/builder/command.js';
import { parseCommandLine } from '../src/builder/command-line.js';
import { commands } from '../src/run-command.js';

/** The replies of the system: by subject, or of one function. What has none is not expected to be called. */
export type Answers =
  | Readonly<Record<string, (request: never) => unknown>>
  | ((contract: Contract, request: never) => unknown);

/** A command that runs. */
export interface Run {
  readonly output: Promise<Output>;
  /** What the system was called with: subject and request. */
  readonly requests: [string, unknown][];
  readonly subjects: string[];
  /** The progress lines. */
  readonly shown: string[];
  /** The lines on standard error that stay. */
  readonly printed: string[];
}

/**
 * Runs a command line as an operator types it, on a system that is replaced by `answers`.
 * @param name noun and verb.
 * @param words the arguments, in their order and by their names in capitals, and the options; true: a switch.
 * @param callEach the replies of every process.
 */
export function run(
  name: string,
  words: Readonly<Record<string, string | true | undefined>> = {},
  answers: Answers = {},
  callEach: CallEach = () => Promise.reject(new Error('every process was called')),
): Run {
  const requests: [string, unknown][] = [];
  const subjects: string[] = [];
  const shown: string[] = [];
  const printed: string[] = [];
  const call = (async (contract, request) => {
    subjects.push(contract.subject);
    requests.push([contract.subject, request]);
    const answer = typeof answers === 'function' ? answers : answers[contract.subject];
    if (answer === undefined) {
      throw new Error(`${contract.subject} was called`);
    }
    return typeof answers === 'function'
      ? answers(contract, request as never)
      : answers[contract.subject]?.(request as never);
  }) as Call;
  const progress = {
    show: (line: string) => void shown.push(line),
    print: (line: string) => void printed.push(line),
  };
  const start = async () => {
    const parsed = parseCommandLine(
      [...name.split(' '), ...Object.entries(words).flatMap(wordsOf)],
      commands,
    );
    if (parsed.kind !== 'run') {
      throw new Error(`"${name}" asks for the ${parsed.kind}`);
    }
    return parsed.command.run(parsed.input, call, progress, callEach);
  };
  return { output: start(), requests, subjects, shown, printed };
}

function wordsOf([name, word]: [string, string | true | undefined]): string[] {
  if (word === undefined) {
    return [];
  }
  if (word === true) {
    return [`--${name}`];
  }
  return [name === name.toUpperCase() ? word : `--${name}=${word}`];
}

/** A reply of a service that does not find what the request names. */
export const notFound = (): never => {
  throw new ApiError('not_found');
};
