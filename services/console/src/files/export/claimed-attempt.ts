import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@pinkas/service-kit';
import { ClaimLostError } from './export-errors.js';
import { claimMs } from './export-policy.js';

/** How often a running attempt extends its claim, and stores its progress. */
const extendEveryMs = 2_000;

export const folderPrefix = 'pinkas-export-';

/** What an attempt works with. */
export interface Attempt {
  /** Of its own; it is removed after the attempt. */
  readonly folder: string;
  /** Aborted when the attempt has to end. */
  readonly signal: AbortSignal;
  /** Ends the attempt. @param reason what it throws. */
  end(reason: Error): void;
}

/** How an attempt keeps its claim. */
export interface Claimed {
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  /** Extends the claim, and stores the progress. @returns whether the claim is still that of this attempt. */
  extend(attempt: Attempt): Promise<boolean>;
  /** `export`, as logs name it. */
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
}

/**
 * Does the work of a job in a folder of its own. The claim is extended while it lasts; it ends where the claim is lost.
 * @throws the reason of whatever ended it.
 */
export async function attempted<Result>(
  claimed: Claimed,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const signal = AbortSignal.any([claimed.stopping, ending.signal]);
  const folder = await mkdtemp(join(tmpdir(), folderPrefix));
  const attempt: Attempt = { folder, signal, end: (reason) => ending.abort(reason) };
  const extending = keptClaim(claimed, attempt);
  try {
    return await work(attempt);
  } catch (error) {
    // What is aborted fails in words of its own.
    throw signal.aborted ? signal.reason : error;
  } finally {
    await extending.stop();
    await removeFolder(folder, claimed.logger);
  }
}

/** Extends a claim until it is stopped. */
function keptClaim(claimed: Claimed, attempt: Attempt): { stop(): Promise<void> } {
  const { name, fields, logger } = claimed;
  let extendedMs = performance.now();
  let extension: Promise<void> | undefined;
  const extend = async () => {
    try {
      const startedMs = performance.now();
      if (!(await claimed.extend(attempt))) {
        attempt.end(new ClaimLostError());
      }
      extendedMs = startedMs;
    } catch (error) {
      logger.warn({ ...fields, err: error }, `${name} claim not extended`);
      // Another worker is about to take it over.
      if (performance.now() - extendedMs > claimMs) {
        attempt.end(new ClaimLostError());
      }
    }
  };
  const timer = setInterval(() => {
    extension ??= extend().finally(() => {
      extension = undefined;
    });
  }, extendEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await extension;
    },
  };
}

export async function removeFolder(folder: string, logger: Logger): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
    logger.warn({ err: error }, 'export folder not removed'),
  );
}
