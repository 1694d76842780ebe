import type { Contract, ReplyOf, RequestOf } from '@pinkas/contracts';

/** Asks a service. */
export type Ask = <C extends Contract>(contract: C, request: RequestOf<C>) => Promise<ReplyOf<C>>;

/** One option. */
export interface CommandOption {
  /** What stands for the value in the help; null: a switch, which takes none and is `yes` where it is given. */
  readonly value: string | null;
  readonly meaning: string;
  readonly required?: boolean;
}

/** What a command was given. Required options and arguments are there. */
export interface Given {
  /** The positional arguments by their names; empty texts where a switch stands in their place. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** What a command found, for a program and for a person. */
export interface Output {
  readonly json: unknown;
  readonly text: string;
  /** What is wrong with what was found, in one line that says what to do: it ends the command with exit 1. */
  readonly failure?: string;
}

/** Tells a person who waits how far the command has come. Nobody is told where no person can read it. */
export interface Progress {
  /** Shows a line in the place of the one before. */
  show(line: string): void;
  /** Says a line that stays, on standard error, whoever reads it: what somebody has to know before the command ends. */
  say(line: string): void;
}

/** One command of the operator: `pinkas NOUN VERB`. */
export interface Command {
  readonly noun: string;
  /** Null: the noun alone is the command. */
  readonly verb: string | null;
  readonly does: string;
  /** The names of its positional arguments, all of them required. */
  readonly arguments: readonly string[];
  /** The switch that may stand in the place of the arguments. */
  readonly insteadOfArguments?: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  run(given: Given, ask: Ask, progress: Progress): Promise<Output>;
}
