import type { Contract, ReplyOf, RequestOf } from '@pinkas/contracts';

/** Asks a service. */
export type Ask = <C extends Contract>(contract: C, request: RequestOf<C>) => Promise<ReplyOf<C>>;

/** One option; each takes a value. */
export interface CommandOption {
  /** What stands for the value in the help. */
  readonly value: string;
  readonly meaning: string;
  readonly required?: boolean;
}

/** What a command was given. Required options and arguments are there. */
export interface Given {
  /** The positional arguments by their names. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** What a command found, for a program and for a person. */
export interface Output {
  readonly json: unknown;
  readonly text: string;
}

/** One command of the operator: `pinkas NOUN VERB`. */
export interface Command {
  readonly noun: string;
  readonly verb: string;
  readonly does: string;
  /** The names of its positional arguments, all of them required. */
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  run(given: Given, ask: Ask): Promise<Output>;
}
