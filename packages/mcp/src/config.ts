import { parseArgs } from 'node:util';

export const usage = `usage: pinkas-mcp [--live]

A Model Context Protocol server over standard input and output. A program for agents starts it.

  PINKAS_BASE_URL  the API; default: http://127.0.0.1:8080/v1
  PINKAS_KEY       the key; without --live it must be a test key

  --live           lets agents issue real documents: PINKAS_KEY must be a live key`;

/** The command line or the environment makes no sense; the message is for the person who wrote it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How the server runs. */
export interface Options {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly mode: 'live' | 'test';
}

/** @throws UsageError */
export function readOptions(args: readonly string[]): Options {
  let live: boolean;
  try {
    const { values } = parseArgs({ args: [...args], options: { live: { type: 'boolean', default: false } } });
    live = values.live;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const apiKey = process.env.PINKAS_KEY ?? '';
  if (apiKey === '') {
    throw new UsageError('PINKAS_KEY is missing: the console has test keys under Connection settings');
  }
  const baseUrl = URL.parse(process.env.PINKAS_BASE_URL ?? 'http://127.0.0.1:8080/v1');
  if (baseUrl === null || !/^https?:$/.test(baseUrl.protocol)) {
    throw new UsageError('PINKAS_BASE_URL must be an address such as https://api.example.com/v1');
  }
  return { baseUrl: baseUrl.href, apiKey, mode: live ? 'live' : 'test' };
}
