import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './root.mjs';

const lockFile = join(root, '.pinkas/prepare.lock');
const waitMsMax = 15 * 60_000;
const lookEveryMs = 200;
/** A lock without a readable holder was left by a crash in the middle of writing it. */
const unreadableAfterMs = 5_000;

/** The instant of a process's start, so that a process id that was given away is not taken for the holder. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : fields[19];
  } catch {
    // Without /proc the process id alone must do.
    try {
      process.kill(pid, 0);
      return 'alive';
    } catch (error) {
      return error.code === 'EPERM' ? 'alive' : null;
    }
  }
}

function holderLives() {
  let text;
  try {
    text = readFileSync(lockFile, 'utf8');
  } catch {
    return false;
  }
  const [pid, startedAt] = text.trim().split(' ');
  if (!pid || !startedAt) {
    return Date.now() - (statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0) < unreadableAfterMs;
  }
  return startOf(Number(pid)) === startedAt;
}

/** Runs `work` while no other command of this clone does; `waiting` is called once when one does. */
export async function alone(waiting, work) {
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o711 });
  const deadline = Date.now() + waitMsMax;
  let told = false;
  for (;;) {
    try {
      writeFileSync(lockFile, `${process.pid} ${startOf(process.pid)}\n`, { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (holderLives()) {
      if (!told) waiting();
      told = true;
      if (Date.now() >= deadline) {
        throw new Error(`another command still prepares this clone after 15 minutes (${lockFile})`);
      }
      await delay(lookEveryMs);
    } else {
      try {
        renameSync(lockFile, `${lockFile}.${process.pid}`);
        rmSync(`${lockFile}.${process.pid}`, { force: true });
      } catch (error) {
        if (error.code !== 'ENOENT') throw error;
      }
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}
