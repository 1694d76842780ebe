import type { RetryOptions } from '@pinkas/client';
import { replyExamples } from '@pinkas/contracts/openapi';
import { type Act, answer, proxyPage, refuse } from './answering-server.js';

const profile = answer(200, replyExamples('https://api.example.com/docs').getMe.profile.value);

const times = (count: number, act: Act) => Array.from({ length: count }, () => act);
const limited = (retryAfter: string) => refuse('rate_limited', { 'retry-after': retryAfter });

/** A sentence, what the server does, how long the client waits before each further attempt, and the code of a call that fails. */
type RetryCase = [string, readonly Act[], { readonly retry?: RetryOptions }, number[], string?];

/** Retries of a call of `getMe` at 2026-03-01T08:00:00Z with the middle of each random delay, in every language. */
export const retryCases: readonly RetryCase[] = [
  [
    'the delay grows with random jitter, and the call fails after the last attempt',
    times(9, refuse('engine_error')),
    { retry: { attemptsMax: 7, firstDelayMs: 500, delayMaxMs: 3000 } },
    [250, 500, 1000, 1500, 1500, 1500],
    'engine_error',
  ],
  // Plus jitter, so that not all callers come back at once.
  ['a Retry-After in seconds is added to the delay', [limited('42'), profile], {}, [42_250]],
  [
    'a Retry-After as a date is added to the delay',
    [limited('Sun, 01 Mar 2026 08:00:30 GMT'), profile],
    {},
    [30_250],
  ],
  [
    'a Retry-After that is past or invalid is ignored',
    [limited('Sat, 28 Feb 2026 08:00:00 GMT'), limited('soon'), profile],
    {},
    [250, 500],
  ],
  [
    'a delay beyond totalMs ends the call at once',
    [limited('61'), profile],
    { retry: { totalMs: 60_000 } },
    [],
    'rate_limited',
  ],
  [
    'the call ends at totalMs, whatever attempts are left',
    times(9, refuse('engine_error', { 'retry-after': '20' })),
    { retry: { attemptsMax: 100, totalMs: 60_000 } },
    [20_250, 20_500],
    'engine_error',
  ],
  [
    'retries can be disabled',
    [refuse('engine_error'), profile],
    { retry: { attemptsMax: 1 } },
    [],
    'engine_error',
  ],
  ...(['api_disabled', 'internal_error', 'engine_error', 'rate_limited'] as const).map(
    (code): RetryCase => [`a call is retried after ${code}`, [refuse(code), profile], {}, [250]],
  ),
  ...[502, 503, 504].map(
    (status): RetryCase => [
      `a response ${status} of a proxy is retried`,
      [proxyPage(status), profile],
      {},
      [250],
    ],
  ),
];
