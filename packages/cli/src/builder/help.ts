import type { Command, CommandOption } from './command.js';
import { nameOf } from './command-line.js';
import { columns } from './table.js';

const optionOf = (name: string, { value }: CommandOption): string =>
  value === null ? `--${name}` : `--${name} ${value}`;

const argumentsOf = ({ arguments: names, argumentsOption: instead }: Command): string[] =>
  instead === undefined ? [...names] : [...names, '|', `--${instead}`];

const usageOf = (command: Command): string =>
  [
    ...nameOf(command),
    ...argumentsOf(command),
    ...Object.entries(command.options)
      .filter(([name]) => name !== command.argumentsOption)
      .map(([name, option]) => (option.required ? optionOf(name, option) : `[${optionOf(name, option)}]`)),
  ].join(' ');

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

const commonHelp = `Every command takes --json, which prints one JSON value on standard output, and an error as one on standard error.
pinkas --version prints the version.
The system is found through NATS_URL, or else through the stack.json that npm run up has written.`;

/** All commands, or those of one noun with their options, or the one of a verb. */
export function helpText(
  commands: readonly Command[],
  noun: string | undefined,
  verb: string | undefined,
): string {
  if (noun === undefined) {
    const rows = commands.map((command) => [
      [...nameOf(command), ...argumentsOf(command)].join(' '),
      command.summary,
    ]);
    return `pinkas NOUN VERB: the operator's command\n\n${indented(columns(rows))}\n\nMore: pinkas NOUN --help\n${commonHelp}`;
  }
  return commands
    .filter((command) => command.noun === noun && (verb === undefined || command.verb === verb))
    .map((command) => {
      const options = Object.entries(command.options).map(([name, option]) => [
        optionOf(name, option),
        option.meaning,
      ]);
      const details = options.length === 0 ? '' : `\n${indented(indented(columns(options)))}`;
      return `pinkas ${usageOf(command)}\n${indented(command.summary)}${details}`;
    })
    .concat(commonHelp)
    .join('\n\n');
}
