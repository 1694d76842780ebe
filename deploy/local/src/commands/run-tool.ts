import { spawn } from 'node:child_process';
import { environment, repositoryRoot } from '../config.js';
import { onStopSignals } from '../signals.js';

/** How a tool ended, and what it printed unless that went to the terminal. */
export interface ToolResult {
  code: number;
  output: string;
}

/** A tool without a word of its own about its end was ended from outside. */
const endedBySignal = 130;

/**
 * Runs a Node program of this clone in the clone's folder.
 *
 * @param show - whether its output goes to the terminal; else it is returned.
 */
export function runTool(
  entry: string,
  args: readonly string[],
  { show, env = {} }: { show: boolean; env?: NodeJS.ProcessEnv },
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: repositoryRoot,
      env: { ...environment, ...env },
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    // The terminal tells the tool of Ctrl-C by itself; we only wait for its end.
    const forget = onStopSignals(
      (signal) => signal !== 'SIGINT' && child.kill(signal),
      () => child.kill('SIGKILL'),
    );
    child.once('error', reject);
    child.once('close', (code) => {
      forget();
      resolve({ code: code ?? endedBySignal, output });
    });
  });
}
