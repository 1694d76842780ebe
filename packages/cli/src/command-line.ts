import { parseArgs } from 'node:util';
import type { Command, Given } from './command.js';
import { Refusal } from './refusal.js';

/** What a command line asks for. */
export type Wish =
  | { readonly kind: 'help'; readonly noun: string | undefined }
  | { readonly kind: 'run'; readonly command: Command; readonly given: Given; readonly json: boolean };

/**
 * Reads a command line.
 * @param words what follows the name of the program.
 * @throws Refusal that says which word is wrong, and where the right ones are listed.
 */
export function readCommandLine(words: readonly string[], commands: readonly Command[]): Wish {
  const [noun] = words;
  const asksForHelp =
    words.length === 0 || words.includes('--help') || words.includes('-h') || noun === 'help';
  if (asksForHelp) {
    const named = words.find((word) => commands.some((one) => one.noun === word));
    return { kind: 'help', noun: named };
  }
  const command = commands.find((one) => nameOf(one).every((word, index) => word === words[index]));
  if (!command) {
    const known = commands.some((one) => one.noun === noun);
    const name = words.slice(0, 2).join(' ');
    throw new Refusal(
      `There is no command "${name}": pinkas ${known ? `${noun} ` : ''}--help lists the commands`,
    );
  }
  const { json, options, positionals } = parse(words.slice(nameOf(command).length), command);
  const { insteadOfArguments: instead } = command;
  const expected = instead !== undefined && options[instead] !== undefined ? 0 : command.arguments.length;
  if (positionals.length !== expected) {
    const names = command.arguments.join(' and ') + (instead === undefined ? '' : `, or --${instead}`);
    const wanted = command.arguments.length === 0 ? 'takes no argument' : `takes ${names}`;
    throw new Refusal(`${nameOf(command).join(' ')} ${wanted}: ${helpOf(command)}`);
  }
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && !options[name]) {
      throw new Refusal(`${nameOf(command).join(' ')} needs --${name} ${option.value}: ${helpOf(command)}`);
    }
  }
  return {
    kind: 'run',
    command,
    json,
    given: {
      arguments: Object.fromEntries(command.arguments.map((name, index) => [name, positionals[index] ?? ''])),
      options,
    },
  };
}

/** The words that name a command. */
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
    const { json = false, ...given } = values;
    const texts = Object.entries(given).map(([name, value]) => [name, value === true ? 'yes' : value]);
    return { json: json === true, options: Object.fromEntries(texts) as Given['options'], positionals };
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/);
    throw new Refusal(`${sentence.replace(/\.$/, '')}: ${helpOf(command)}`);
  }
}
