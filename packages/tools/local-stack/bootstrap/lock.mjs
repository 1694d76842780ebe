import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { holdName } from './hold-name.mjs';
import { root } from './root.mjs';

const lockFile = join(root, '.pinkas/prepare.lock');
const waitMaxMs = 15 * 60_000;
const pollIntervalMs = 200;

/** Runs `work` while no other command of this clone holds the lock; `onWait` is called once when another command holds it. */
export async function withLock(onWait, work) {
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o711 });
  const deadline = Date.now() + waitMaxMs;
  for (let waits = 0; holdName(lockFile) !== null; waits += 1) {
    if (waits === 0) {
      onWait();
    }
    if (Date.now() >= deadline) {
      throw new Error(`another command still prepares this clone after 15 minutes (${lockFile})`);
    }
    await delay(pollIntervalMs);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}
