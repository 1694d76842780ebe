import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './root.mjs';

const lockFile = join(root, '.pinkas/prepare.lock');
const waitMaxMs = 15 * 60_000;
const pollIntervalMs = 200;
/** A lock file without a holder is stale after this time: its writer crashed before it wrote the holder. */
const emptyLockMaxMs = 5_000;

/** The start time of a process, since a process id may be reused; null when the process does not run. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : fields[19];
  } catch {
    return startWithoutProc(pid);
  }
}

/** Without /proc only the process id can be checked. */
function startWithoutProc(pid) {
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (error) {
    return error.code === 'EPERM' ? 'alive' : null;
  }
}

function isHeld() {
  let text;
  try {
    text = readFileSync(lockFile, 'utf8');
  } catch {
    return false;
  }
  const [pid, startedAt] = text.trim().split(' ');
  if (!pid || !startedAt) {
    return Date.now() - (statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0) < emptyLockMaxMs;
  }
  return startOf(Number(pid)) === startedAt;
}

/** Creates the lock file; false when it exists. */
function tryAcquire() {
  try {
    writeFileSync(lockFile, `${process.pid} ${startOf(process.pid)}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') {
      throw error;
    }
    return false;
  }
}

/** Another process may remove the stale file at the same time. */
function removeStaleLock() {
  const stale = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, stale);
    rmSync(stale, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') {
      throw error;
    }
  }
}

async function acquire(onWait) {
  const deadline = Date.now() + waitMaxMs;
  let isWaiting = false;
  while (!tryAcquire()) {
    if (!isHeld()) {
      removeStaleLock();
      continue;
    }
    if (!isWaiting) {
      isWaiting = true;
      onWait();
    }
    if (Date.now() >= deadline) {
      throw new Error(`another command still prepares this clone after 15 minutes (${lockFile})`);
    }
    await delay(pollIntervalMs);
  }
}

/** Runs `work` while no other command of this clone holds the lock; `onWait` is called once when another command holds it. */
export async function withLock(onWait, work) {
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o711 });
  await acquire(onWait);
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}
