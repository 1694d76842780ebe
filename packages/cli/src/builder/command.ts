import type { Call } from '@pinkas/contracts';
import type { CallEach } from '@pinkas/service-kit/client';

export type { Call, CallEach };

/** One option. */
export interface CommandOption {
  /** The placeholder of the value in the help; null: a switch without a value, parsed as `yes`. */
  readonly value: string | null;
  readonly meaning: string;
  readonly required?: boolean;
}

/** The arguments and options of a command; the required ones are present. */
export interface CommandInput {
  /** The positional arguments by name; empty strings where a switch replaces them. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** The result of a command, as JSON and as text. */
export interface Output {
  readonly json: unknown;
  readonly text: string;
  /** One line on standard error that says what is wrong and what to do; the command exits with 1. */
  readonly failure?: string;
}

/** Shows how far a command is. */
export interface Progress {
  /** Replaces the progress line; only on a terminal. */
  show(line: string): void;
  /** Prints a line on standard error that stays: what must be known before the command ends. */
  print(line: string): void;
}

/** A command: `pinkas NOUN VERB`. */
export interface Command {
  readonly noun: string;
  /** Null: the noun alone is the command. */
  readonly verb: string | null;
  readonly summary: string;
  /** The names of its positional arguments, all of them required. */
  readonly arguments: readonly string[];
  /** A switch that replaces the arguments. */
  readonly argumentsOption?: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  run(input: CommandInput, call: Call, progress: Progress, callEach: CallEach): Promise<Output>;
}
