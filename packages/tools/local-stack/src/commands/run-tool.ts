import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { environment, repositoryRoot } from '../config.js';
import { onStopSignals } from '../signals.js';

/** The exit code of a tool, and its output unless that went to the terminal. */
interface ToolResult {
  code: number;
  output: string;
}

/** The exit code of a tool that a signal ended. */
export const endedBySignal = 130;

/** Lets Node load TypeScript of this clone. */
const typescript = join(repositoryRoot, 'packages/tools/testkit/jest/typescript.mjs');

/**
 * Runs a Node program of this clone in the clone's folder; it may be in TypeScript.
 *
 * @param show - whether the output goes to the terminal; otherwise it is returned.
 */
export function runTool(
  entry: string,
  args: readonly string[],
  { show, env = {} }: { show: boolean; env?: NodeJS.ProcessEnv },
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const loads = entry.endsWith('.ts') ? ['--import', typescript] : [];
    const child = spawn(process.execPath, [...loads, entry, ...args], {
      cwd: repositoryRoot,
      env: { ...environment, ...env },
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that a signal reaches the workers of the tool as well.
      detached: true,
    });
    const signalAll = (signal: NodeJS.Signals) => {
      if (child.pid === undefined) {
        return;
      }
      try {
        process.kill(-child.pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
          throw error;
        }
      }
    };
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const removeHandlers = onStopSignals(signalAll, () => signalAll('SIGKILL'));
    child.once('error', reject);
    child.once('close', (code) => {
      removeHandlers();
      // What the tool has left: an interrupted Jest does not wait for its workers, which go on.
      signalAll('SIGKILL');
      resolve({ code: code ?? endedBySignal, output });
    });
  });
}
