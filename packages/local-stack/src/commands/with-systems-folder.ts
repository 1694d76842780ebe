import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHome } from '../home.js';
import { stopHome } from './down.js';

/**
 * Gives a tool a temporary folder, and in its `systems` a place for the homes of the systems that it starts. Afterwards it stops
 * those that the tool did not stop, since it was interrupted, and removes the folder.
 */
export async function withSystemsFolder<T>(
  work: (folder: string, systems: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pinkas-run-'));
  const systems = join(folder, 'systems');
  mkdirSync(systems);
  try {
    return await work(folder, systems);
  } finally {
    for (const name of readdirSync(systems)) {
      await stopHome(openHome(join(systems, name)), () => {});
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
