#!/usr/bin/env node
import { apiCommands } from './api-commands.js';
import { businessCommands } from './business-commands.js';
import type { Ask } from './command.js';
import { readCommandLine } from './command-line.js';
import { findNatsUrl } from './config.js';
import { type Connection, openConnection } from './connection.js';
import { helpText } from './help.js';
import { keyCommands } from './key-commands.js';
import { refusalLine } from './refusal.js';

const commands = [...businessCommands, ...keyCommands, ...apiCommands];

/** Does what the command line says. @returns what belongs on standard output. */
async function answer(words: readonly string[]): Promise<string> {
  const wish = readCommandLine(words, commands);
  if (wish.kind === 'help') return helpText(commands, wish.noun);
  let connection: Connection | undefined;
  // Connected at the first question, so that a mistyped option is said without a system.
  const ask: Ask = async (contract, request) => {
    connection ??= await openConnection(await findNatsUrl());
    return connection.ask(contract, request);
  };
  try {
    const { json, text } = await wish.command.run(wish.given, ask);
    return wish.json ? JSON.stringify(json, null, 2) : text;
  } finally {
    await connection?.close();
  }
}

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', () => process.exit(0));
try {
  process.stdout.write(`${await answer(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${refusalLine(error)}\n`);
  process.exitCode = 1;
}
