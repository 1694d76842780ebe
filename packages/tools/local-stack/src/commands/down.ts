import { existsSync } from 'node:fs';
import { readConfig } from '../config.js';
import { type Home, openHome, readJson, writeJson } from '../home.js';
import { endLeftovers, readState, supervisorOf } from '../run-state.js';
import { endProcess, isAlive, type ProcessIdentity, waitUntil } from '../servers/index.js';
import type { StackFile } from '../stack-file.js';
import type { Steps } from '../steps.js';

/** More than the sum of all grace periods of an orderly stop. */
const stopTimeoutMs = 90_000;

async function stopSupervisor(
  home: Home,
  supervisor: ProcessIdentity,
  detail: (text: string) => void,
): Promise<void> {
  try {
    process.kill(supervisor.pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
  try {
    await waitUntil(
      () => {
        const parts = readState(home, supervisor)?.parts ?? [];
        detail(parts.flatMap(({ name, process }) => (process === null ? [] : [name])).join(', '));
        return !isAlive(supervisor);
      },
      { what: 'the system stops', timeoutMs: stopTimeoutMs, everyMs: 50 },
    );
  } catch {
    await endProcess(supervisor, { stopSignal: 'SIGKILL', graceMs: 5_000 });
  }
  detail('');
}

/** Removes the processes from `stack.json`; the addresses and the demo key stay. */
function removeProcesses(home: Home): void {
  const stack = readJson<StackFile>(home.stackFile);
  if (stack !== null && stack.services.length > 0) {
    writeJson(home.stackFile, { ...stack, services: [] });
  }
}

/**
 * Stops the system of a home, whether or not its supervisor still runs.
 *
 * @returns the names of the processes that had lost their supervisor.
 */
export async function stopHome(home: Home, detail: (text: string) => void): Promise<readonly string[]> {
  const supervisor = supervisorOf(home);
  if (supervisor !== null) {
    await stopSupervisor(home, supervisor, detail);
  }
  const leftovers = await endLeftovers(home);
  removeProcesses(home);
  return leftovers;
}

/** Stops the system of this home, or prints that nothing runs. */
export async function down(steps: Steps): Promise<number> {
  const { home: path } = readConfig();
  if (!existsSync(path)) {
    process.stdout.write(`Nothing runs in ${path}.\n`);
    return 0;
  }
  const home = openHome(path);
  let leftovers: readonly string[] = [];
  const stop = async (detail: (text: string) => void) => {
    leftovers = await stopHome(home, detail);
  };
  const supervised = supervisorOf(home) !== null;
  if (supervised) {
    await steps.run('stop', stop);
  } else {
    await stop(() => {});
  }
  if (supervised) {
    process.stdout.write(`Pinkas in ${path} is stopped; its data stays.\n`);
  } else if (leftovers.length > 0) {
    process.stdout.write(`Ended ${leftovers.join(', ')} in ${path}, whose supervisor no longer ran.\n`);
  } else {
    process.stdout.write(`Nothing runs in ${path}.\n`);
  }
  return 0;
}
