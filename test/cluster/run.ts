import { spawn } from 'node:child_process';
import { progress } from '../bench/report.js';

/** A program that failed, with what it printed last. */
export class ProgramError extends Error {}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Written to its standard input. */
  readonly input?: string;
  readonly timeoutMs?: number;
}

const keptLines = 12;

/**
 * Runs a program.
 * @returns what it printed to standard output.
 * @throws ProgramError with the last lines of its standard error, also when it takes longer than `timeoutMs` (ten minutes).
 */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return start(file, args, options).done;
}

/** Starts a program whose standard input stays open until `end`. */
export function start(
  file: string,
  args: readonly string[],
  { cwd, env, input, timeoutMs = 600_000 }: RunOptions = {},
): { end(): void; done: Promise<string> } {
  // A group of its own, so that what it has started ends with it.
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, detached: true });
  const printed = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.error += text));
  // It may end without having read its input.
  child.stdin.on('error', () => {});
  if (input !== undefined) {
    child.stdin.end(input);
  }
  const kill = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  const onExit = () => child.exitCode === null && kill();
  process.once('exit', onExit);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, timeoutMs);
  const done = new Promise<string>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new ProgramError(`this machine lacks ${file}`) : error),
    );
    child.once('close', (code) => {
      if (code === 0) {
        resolve(printed.out);
        return;
      }
      const why = late ? `takes longer than ${timeoutMs / 1000} s` : `ends with ${code}`;
      const lines = (printed.error || printed.out).trimEnd().split('\n').slice(-keptLines);
      reject(
        new ProgramError(
          [`${[file, ...args].join(' ').split('\n')[0]?.slice(0, 120)} ${why}`, ...lines].join('\n    │ '),
        ),
      );
    });
  }).finally(() => {
    clearTimeout(timer);
    process.off('exit', onExit);
  });
  // The caller awaits it later.
  done.catch(() => {});
  return { end: () => child.stdin.end(), done };
}

/** Does a step of a command, and prints how long it took. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  progress(`  … ${name}`);
  const startedAt = performance.now();
  const result = await work();
  progress(`  ✓ ${name}  ${secondsSince(startedAt)} s`);
  return result;
}

export const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;
