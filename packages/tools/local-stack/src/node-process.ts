import { rotateLog } from './log-rotation.js';
import { lastLines, type RunningChild, startChild } from './servers/index.js';
import { PartFailedError } from './supervisor.js';

/** A Node program of this clone. */
interface NodeProgram {
  /** Absolute path of its entry file. */
  entry: string;
  args?: readonly string[];
  /** Path of a module that is loaded first. */
  preload?: string | null;
  env: NodeJS.ProcessEnv;
  logFile: string;
  /** Milliseconds that the program may take to stop. */
  stopGraceMs: number;
}

/** Starts a Node program that keeps running. */
export async function startNode(program: NodeProgram): Promise<RunningChild> {
  rotateLog(program.logFile);
  return startChild({
    file: process.execPath,
    args: [
      '--enable-source-maps',
      ...(program.preload ? ['--import', program.preload] : []),
      program.entry,
      ...(program.args ?? []),
    ],
    env: program.env,
    logFile: program.logFile,
    stopSignal: 'SIGTERM',
    stopGraceMs: program.stopGraceMs,
  });
}

/**
 * Runs a Node program to its end.
 *
 * @param part - the name of the part in a failure.
 * @throws PartFailedError with the last lines of its log, unless it ends with code 0 within `timeoutMs`.
 */
export async function runNode(
  part: string,
  program: NodeProgram,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const child = await startNode(program);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill();
  }, timeoutMs);
  signal.addEventListener('abort', child.kill, { once: true });
  try {
    const { code, signal: endedBy } = await child.exited;
    if (code !== 0) {
      const how = endedBy === null ? `ended with code ${code}` : `was ended by ${endedBy}`;
      const reason = timedOut ? `did not finish within ${timeoutMs / 1000} s` : how;
      throw new PartFailedError(part, reason, program.logFile, lastLines(program.logFile, 15));
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', child.kill);
  }
}
