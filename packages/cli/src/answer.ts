import { allocationCommands } from './allocation-commands.js';
import { apiCommands } from './api-commands.js';
import { businessCommands } from './business-commands.js';
import type { Ask, Output } from './command.js';
import { readCommandLine } from './command-line.js';
import { type Connection, openConnection } from './connection.js';
import { deliveryCommands } from './delivery-commands.js';
import { helpText } from './help.js';
import { keyCommands } from './key-commands.js';
import { terminalProgress } from './progress.js';
import { queueCommands } from './queue-commands.js';
import { verifyCommands } from './verify/verify-command.js';

const commands = [
  ...businessCommands,
  ...keyCommands,
  ...apiCommands,
  ...allocationCommands,
  ...deliveryCommands,
  ...queueCommands,
  ...verifyCommands,
];

/**
 * Does what the command line says.
 * @param words what stands behind `pinkas`.
 * @param findNatsUrl where the system is; asked at the first question, so that a mistyped option is said without a system.
 * @returns what belongs on standard output, and what is wrong with what was found.
 * @throws Refusal, and Problem with what a service answered.
 */
export async function answer(
  words: readonly string[],
  findNatsUrl: () => Promise<string>,
): Promise<{ text: string; failure?: Output['failure'] }> {
  const wish = readCommandLine(words, commands);
  if (wish.kind === 'help') return { text: helpText(commands, wish.noun) };
  let connection: Promise<Connection> | undefined;
  const ask: Ask = async (contract, request) => {
    connection ??= findNatsUrl().then(openConnection);
    return (await connection).ask(contract, request);
  };
  const progress = terminalProgress(process.stderr, !wish.json);
  try {
    const { json, text, failure } = await wish.command.run(wish.given, ask, progress);
    return { text: wish.json ? JSON.stringify(json, null, 2) : text, failure };
  } finally {
    progress.end();
    // Where it could not be opened, whoever asked was told.
    await connection?.then((opened) => opened.close()).catch(() => {});
  }
}
