import { setTimeout as wait } from 'node:timers/promises';
import { types } from 'node:util';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import type { Logger } from './logger.js';

const pauseMs = 500;

/** No connection, no address yet, or a server that is starting; with PostgreSQL's code for the last. */
const unreachableCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  '57P03',
];
/** What the clients of NATS and PostgreSQL say of a connection that was not answered in time. */
const unanswered = /^timeout$|timeout expired|timeout exceeded|due to connection timeout/;

/** Whether a connection failed because its server is not there, and not because the server denied it. */
function isUnreachable(error: unknown): boolean {
  if (!types.isNativeError(error)) {
    return false;
  }
  const { code } = error as NodeJS.ErrnoException;
  return (
    (code !== undefined && unreachableCodes.includes(code)) ||
    unanswered.test(error.message) ||
    isUnreachable(error.cause)
  );
}

/**
 * Connects, and repeats it while the server is not there: servers start together, and a network plugin of Kubernetes learns the
 * address of a new pod after the pod has started.
 * @param onWait called at the first failure.
 * @throws what `connect` throws, at once where the server denies the connection, else after `withinMs`.
 */
export async function waitForServer<T>(
  connect: () => Promise<T>,
  { withinMs, onWait = () => {} }: { withinMs: number; onWait?: (error: unknown) => void },
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (!isUnreachable(error) || performance.now() + pauseMs > endMs) {
        throw error;
      }
      if (attempt === 1) {
        onWait(error);
      }
      await wait(pauseMs);
    }
  }
}

/** Runs what a program does at its start, again while a server is not there: a container that ends is started ever later. */
export function whenReachable<T>(logger: Logger, start: () => Promise<T>): Promise<T> {
  return waitForServer(start, {
    withinMs: timeLimitsMs.serverStart,
    onWait: (error) => logger.warn({ err: error }, 'server not reachable yet'),
  });
}
