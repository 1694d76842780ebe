import { identifyProcess, isAlive, type ProcessIdentity } from '../../bootstrap/hold-name.mjs';
import { waitUntil } from './wait-until.js';

export { identifyProcess, isAlive, type ProcessIdentity };

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) {
    return;
  }
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

/**
 * Ends this process, which need not be a child: sends `stopSignal`, and kills it after `graceMs`.
 *
 * @returns when the process has ended.
 * @throws Error when the process still runs five seconds after SIGKILL.
 */
export async function endProcess(
  identity: ProcessIdentity,
  { stopSignal, graceMs }: { stopSignal: NodeJS.Signals; graceMs: number },
): Promise<void> {
  signal(identity, stopSignal);
  try {
    await waitUntil(() => !isAlive(identity), { what: `process ${identity.pid} ends`, timeoutMs: graceMs });
  } catch {
    signal(identity, 'SIGKILL');
    await waitUntil(() => !isAlive(identity), {
      what: `process ${identity.pid} ends on SIGKILL`,
      timeoutMs: 5_000,
    });
  }
}
