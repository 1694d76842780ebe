import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The clock ticks from boot to the start of a process; null when it does not run. */
function linuxStart(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The second field is the program's name in parentheses and may contain spaces: count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; only its parent has not read the exit code yet.
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

function otherStart(pid) {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
}

export function identifyProcess(pid) {
  const startedAt = existsSync('/proc/self/stat') ? linuxStart(pid) : otherStart(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isAlive(identity) {
  const now = identifyProcess(identity.pid);
  return now !== null && now.startedAt === identity.startedAt;
}

export function holderOf(file) {
  let holder;
  try {
    holder = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  return isAlive(holder) ? holder : null;
}

export function holdName(file) {
  const mine = `${file}.${process.pid}`;
  const aside = `${mine}.stale`;
  writeFileSync(mine, JSON.stringify(identifyProcess(process.pid)), { mode: 0o600 });
  try {
    for (;;) {
      try {
        // A link is created atomically, together with its content.
        linkSync(mine, file);
        return null;
      } catch (error) {
        if (error.code !== 'EEXIST') {
          throw error;
        }
      }
      const holder = holderOf(file);
      if (holder !== null) {
        return holder;
      }
      try {
        renameSync(file, aside);
      } catch {
        // Another process discarded it first.
        continue;
      }
      if (holderOf(aside) !== null) {
        // A process took the name between the check and the rename: give it back.
        linkSync(aside, file);
      }
      rmSync(aside, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}
