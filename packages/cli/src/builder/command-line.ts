import { parseArgs } from 'node:util';
import type { Command, CommandInput } from './command.js';
import { UsageError } from './usage-error.js';

/** A parsed command line. */
type ParsedCommandLine =
  | { readonly kind: 'version'; readonly json: boolean }
  | { readonly kind: 'help'; readonly noun: string | undefined; readonly verb: string | undefined }
  | { readonly kind: 'run'; readonly command: Command; readonly input: CommandInput; readonly json: boolean };

/**
 * Parses a command line.
 * @param args what follows the name of the program.
 * @throws UsageError that says which word is wrong, and which help lists the correct ones.
 */
export function parseCommandLine(args: readonly string[], commands: readonly Command[]): ParsedCommandLine {
  const words = args.filter((arg) => arg !== '--json');
  const [noun] = words;
  if (words.length === 1 && noun === '--version') {
    return { kind: 'version', json: words.length < args.length };
  }
  const isNounAlone = words.length === 1 && isGroup(noun, commands);
  if (
    words.length === 0 ||
    isNounAlone ||
    args.includes('--help') ||
    args.includes('-h') ||
    noun === 'help'
  ) {
    const named = words.find((word) => commands.some((command) => command.noun === word));
    const verb = words.find((word) => commands.some(({ noun, verb: of }) => noun === named && of === word));
    return { kind: 'help', noun: named, verb };
  }
  const command = findCommand(args, commands);
  const { json, options, positionals } = parse(args.slice(nameOf(command).length), command);
  requireArguments(command, options, positionals);
  requireOptions(command, options);
  return {
    kind: 'run',
    command,
    json,
    input: {
      arguments: Object.fromEntries(command.arguments.map((name, index) => [name, positionals[index] ?? ''])),
      options,
    },
  };
}

/** Whether a noun has commands, and is no command itself. */
const isGroup = (noun: string | undefined, commands: readonly Command[]): boolean => {
  const ofNoun = commands.filter((command) => command.noun === noun);
  return ofNoun.length > 0 && ofNoun.every(({ verb }) => verb !== null);
};

function findCommand(args: readonly string[], commands: readonly Command[]): Command {
  const command = commands.find((candidate) =>
    nameOf(candidate).every((part, index) => part === args[index]),
  );
  if (command) {
    return command;
  }
  const words = args.filter((arg) => arg !== '--json');
  const [noun] = words;
  const known = commands.some((candidate) => candidate.noun === noun);
  throw new UsageError(
    `There is no command "${words.slice(0, 2).join(' ')}": pinkas ${known ? `${noun} ` : ''}--help lists the commands`,
  );
}

function requireArguments(
  command: Command,
  options: CommandInput['options'],
  positionals: readonly string[],
): void {
  const { argumentsOption: instead } = command;
  const expected = instead !== undefined && options[instead] !== undefined ? 0 : command.arguments.length;
  if (positionals.length === expected) {
    return;
  }
  const names = command.arguments.join(' and ') + (instead === undefined ? '' : `, or --${instead}`);
  const expectation = command.arguments.length === 0 ? 'takes no argument' : `takes ${names}`;
  throw new UsageError(`${nameOf(command).join(' ')} ${expectation}: ${helpOf(command)}`);
}

function requireOptions(command: Command, options: CommandInput['options']): void {
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && !options[name]) {
      throw new UsageError(
        `${nameOf(command).join(' ')} needs --${name} ${option.value}: ${helpOf(command)}`,
      );
    }
  }
}

/** The noun and verb that name a command. */
export const nameOf = ({ noun, verb }: Command): string[] => (verb === null ? [noun] : [noun, verb]);

const helpOf = (command: Command): string => `see pinkas ${command.noun} --help`;

function parse(args: readonly string[], command: Command) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value === null ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    });
    const { json = false, ...rest } = values;
    const texts = Object.entries(rest).map(([name, value]) => [name, value === true ? 'yes' : value]);
    return {
      json: json === true,
      options: Object.fromEntries(texts) as CommandInput['options'],
      positionals,
    };
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}: ${helpOf(command)}`);
  }
}
