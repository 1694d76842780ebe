import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHome } from '../home.js';
import { stopHome } from './down.js';

/**
 * Gives a tool a temporary folder for the homes of the systems that it starts. Afterwards it stops those that the tool did not stop,
 * since it was interrupted, and removes the folder.
 */
export async function withSystemsFolder<T>(work: (systems: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pinkas-run-'));
  const systems = join(folder, 'systems');
  mkdirSync(systems);
  try {
    return await work(systems);
  } finally {
    for (const name of readdirSync(systems)) {
      await stopHome(openHome(join(systems, name)), () => {});
    }
    unmountBelow(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Unmounts what a tool that was killed has left, the last mounted first. */
function unmountBelow(folder: string): void {
  const table = '/proc/mounts';
  const mounted = existsSync(table) ? readFileSync(table, 'utf8').split('\n') : [];
  for (const line of mounted.reverse()) {
    const path = line.split(' ')[1] ?? '';
    if (path.startsWith(`${folder}/`)) {
      spawnSync('umount', ['--lazy', path]);
    }
  }
}
