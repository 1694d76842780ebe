import { parseArgs } from 'node:util';

/** No color where a person asks for none (https://no-color.org). */
export const isColored = () => process.stdout.isTTY && !process.env.NO_COLOR;

export const listenUsage = `usage: pinkas-client listen URL [options]

Posts each event of your book to a program on your machine, signed as a webhook is.

  --key KEY        the key; better in the environment as PINKAS_KEY, where no list of processes shows it
  --base-url URL   the API; default: PINKAS_BASE_URL, or http://127.0.0.1:8080/v1
  --types A,B      only events of these types, for example document.issued,delivery.failed
  --since WHEN     from when on: now (the default), start, a duration such as 10m or 2h, a time such as
                   2026-01-31T12:00:00Z, or the cursor at which it stopped
  --print          prints each event as JSON as well
  --retry          posts what failed again, with growing waits
  --yes            does not ask before it follows a live key

PINKAS_WEBHOOK_SECRET is the secret that signs, whsec_…; without it a new one is made and printed.
While it runs: r posts what failed again, q ends.`;

/** The command line makes no sense; the message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** From when on events are posted. */
export type Since =
  | { readonly kind: 'start' }
  /** From this position on. */
  | { readonly kind: 'cursor'; readonly cursor: string }
  /** Events of this time and later, in milliseconds since the epoch; null: what happens from now on. */
  | { readonly kind: 'time'; readonly atMs: number | null };

/** What was asked for. */
export interface ListenOptions {
  readonly target: URL;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  readonly since: Since;
  /** The secret that signs, or undefined to make one. */
  readonly secret: string | undefined;
  readonly print: boolean;
  readonly retry: boolean;
  readonly yes: boolean;
}

const flags = {
  key: { type: 'string' },
  'base-url': { type: 'string' },
  types: { type: 'string' },
  since: { type: 'string' },
  print: { type: 'boolean', default: false },
  retry: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const;

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws UsageError */
export function readListenOptions(args: readonly string[], nowMs: number): ListenOptions {
  const { PINKAS_KEY, PINKAS_BASE_URL, PINKAS_WEBHOOK_SECRET } = process.env;
  const { values, positionals } = parsed(args);
  const [address, ...further] = positionals;
  if (address === undefined || further.length > 0) {
    throw new UsageError('listen takes one URL: where your program receives webhooks');
  }
  const apiKey = values.key ?? PINKAS_KEY ?? '';
  if (apiKey === '') {
    throw new UsageError(
      'no key: set PINKAS_KEY, or pass --key. The console has test keys under Connection settings',
    );
  }
  const types = values.types?.split(',').map((type) => type.trim());
  if (types?.some((type) => type === '')) {
    throw new UsageError('--types is a list such as document.issued,delivery.failed');
  }
  return {
    target: httpUrl(address, 'URL'),
    apiKey,
    baseUrl: httpUrl(values['base-url'] ?? PINKAS_BASE_URL ?? 'http://127.0.0.1:8080/v1', '--base-url').href,
    types,
    since: sinceOf(values.since ?? 'now', nowMs),
    secret: secretOf(PINKAS_WEBHOOK_SECRET),
    print: values.print,
    retry: values.retry,
    yes: values.yes,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function httpUrl(text: string, name: string): URL {
  // A port alone, or a host without its protocol, is what people type.
  const url = URL.parse(
    /^https?:/i.test(text) ? text : `http://${/^\d+(\/|$)/.test(text) ? 'localhost:' : ''}${text}`,
  );
  if (url === null || url.username !== '' || url.password !== '') {
    throw new UsageError(`${name} must be an address such as http://localhost:3000/hook`);
  }
  return url;
}

function sinceOf(text: string, nowMs: number): Since {
  if (text === 'now') {
    return { kind: 'time', atMs: null };
  }
  if (text === 'start') {
    return { kind: 'start' };
  }
  const duration = /^(\d{1,6})([smhd])$/.exec(text);
  if (duration) {
    return { kind: 'time', atMs: nowMs - Number(duration[1]) * (unitMs[duration[2] ?? ''] ?? 0) };
  }
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const atMs = Date.parse(text);
    if (!Number.isNaN(atMs)) {
      return { kind: 'time', atMs };
    }
  } else if (/^[\w-]{20,}$/.test(text)) {
    return { kind: 'cursor', cursor: text };
  }
  throw new UsageError(
    '--since is now, start, a duration such as 10m, a time such as 2026-01-31T12:00:00Z, or a cursor',
  );
}

function secretOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') {
    return undefined;
  }
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)) {
    throw new UsageError('PINKAS_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64');
  }
  return text;
}
