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
  const [noun, verb] = words;
  const asksForHelp =
    words.length === 0 || words.includes('--help') || words.includes('-h') || noun === 'help';
  if (asksForHelp) {
    const named = words.find((word) => commands.some((one) => one.noun === word));
    return { kind: 'help', noun: named };
  }
  const command = commands.find((one) => one.noun === noun && one.verb === verb);
  if (!command) {
    const known = commands.some((one) => one.noun === noun);
    const name = words.slice(0, 2).join(' ');
    throw new Refusal(
      `There is no command "${name}": pinkas ${known ? `${noun} ` : ''}--help lists the commands`,
    );
  }
  const { json, options, positionals } = parse(words.slice(2), command);
  const expected = command.arguments.length;
  if (positionals.length !== expected) {
    const wanted = expected === 0 ? 'takes no argument' : `takes ${command.arguments.join(' and ')}`;
    throw new Refusal(`${noun} ${verb} ${wanted}: ${helpOf(command)}`);
  }
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && !options[name]) {
      throw new Refusal(`${noun} ${verb} needs --${name} ${option.value}: ${helpOf(command)}`);
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

const helpOf = (command: Command): string => `see pinkas ${command.noun} --help`;

function parse(args: readonly string[], command: Command) {
  const options = Object.fromEntries(
    Object.keys(command.options).map((name) => [name, { type: 'string' as const }]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    });
    const { json = false, ...texts } = values;
    // Every option but json was declared as text above.
    return { json, options: texts as Given['options'], positionals };
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/);
    throw new Refusal(`${sentence.replace(/\.$/, '')}: ${helpOf(command)}`);
  }
}
