#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { PinkasConnectionError, PinkasError } from '../pinkas-error.js';
import { isColored, type ListenOptions, listenUsage, readListenOptions, UsageError } from './config.js';
import { Listener, type Terminal } from './listener.js';

const { stdin, stdout, stderr } = process;
const terminal: Terminal = {
  print: (line) => stdout.write(`${line}\n`),
  failed: (text) => (isColored() ? styleText('red', text) : text),
};

/** Asks before the events of real customers are read. @throws UsageError where no person is there to ask. */
async function mayFollow({ target, yes }: ListenOptions, name: string): Promise<boolean> {
  if (yes) {
    return true;
  }
  if (!stdin.isTTY) {
    throw new UsageError('this key leads to the live book: pass --yes to follow it, or take a test key');
  }
  const asking = createInterface({ input: stdin, output: stdout });
  try {
    const asked = `This key leads to the live book of ${name}: events of its customers go to ${target.href}. Go on? [y/N] `;
    return /^(y|yes|כ|כן)$/i.test((await asking.question(asked)).trim());
  } finally {
    asking.close();
  }
}

/** Keys while it runs; a terminal gives them one at a time, anything else as it comes. */
function readKeys(again: () => void, end: () => void): void {
  if (stdin.isTTY) {
    stdin.setRawMode(true);
  }
  stdin.setEncoding('utf8');
  stdin.on('data', (keys: string) => {
    for (const key of keys) {
      if (key === 'r') {
        again();
      } else if (key === 'q' || key === '\u0003') {
        end();
      }
    }
  });
  stdin.on('error', () => undefined);
}

async function listen(args: readonly string[]): Promise<void> {
  const options = readListenOptions(args, Date.now());
  const secret = options.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
  const ending = new AbortController();
  const end = () => ending.abort();
  process.on('SIGINT', end).on('SIGTERM', end);
  // A reader such as `head` may close the pipe.
  stdout.on('error', end);
  const listener = new Listener(options, secret, terminal, ending.signal);
  const { name, isLive } = await listener.profile();
  if (isLive && !(await mayFollow(options, name))) {
    return;
  }
  readKeys(() => listener.again(), end);
  terminal.print(`${isLive ? 'live' : 'test'} book of ${name} → ${options.target.href}
secret: ${secret}
r posts what failed again, q ends`);
  try {
    await listener.follow();
  } finally {
    terminal.print(listener.summary());
  }
}

/** Prints why it ended. @returns the exit code: 2 for a command line that makes no sense, 1 for a request that was refused. */
function explain(error: unknown): number {
  if (error instanceof PinkasConnectionError && error.reason === 'aborted') {
    return 0;
  }
  if (
    !(error instanceof UsageError || error instanceof PinkasError || error instanceof PinkasConnectionError)
  ) {
    throw error;
  }
  const hint = error instanceof PinkasError ? error.hint : undefined;
  stderr.write(`${[error.message, hint].filter(Boolean).join('\n')}\n`);
  return error instanceof UsageError ? 2 : 1;
}

const [command, ...args] = process.argv.slice(2);
if (command === 'listen' && !args.includes('--help')) {
  process.exit(await listen(args).then(() => 0, explain));
}
const isHelp = command === undefined || command === '--help' || command === 'listen';
(isHelp ? stdout : stderr).write(`${listenUsage}\n`);
process.exitCode = isHelp ? 0 : 2;
