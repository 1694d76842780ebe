import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { findBinary } from './binaries.js';

/** The signals that stop a child. */
export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

/** How a child ended: with an exit code, or by a signal. */
export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The program to run, its user, and how to stop it. */
export interface ChildOptions {
  /** Absolute path of the program. */
  file: string;
  args: readonly string[];
  /** The child's whole environment; nothing is inherited. */
  env: NodeJS.ProcessEnv;
  /** Standard output and error are appended to it. Its folder is created when missing. */
  logFile: string;
  /** The signal that requests the stop; sent once for each call of `stop`. */
  stopSignal: StopSignal;
  /** Milliseconds that the child may take to stop before it is killed. */
  stopGraceMs: number;
  /** The signal that the kernel sends the child when this process is killed. Default SIGKILL. Only with util-linux. */
  parentDeathSignal?: StopSignal;
  /** Runs the child as another user; only root may. */
  runAs?: { uid: number; gid: number; passesClosedFolders: boolean };
}

/** A running child process. */
export interface RunningChild {
  pid: number;
  process: ChildProcess;
  /** Settles when the process has ended, and never rejects. */
  exited: Promise<ChildExit>;
  /** Sends the stop signal and waits; kills the child after `stopGraceMs`. Can be called again. */
  stop(): Promise<ChildExit>;
  /** Kills the child and its process group. */
  kill(): void;
}

let setprivFound: string | null | undefined;

/** util-linux's setpriv, which supports a signal on the parent's death; busybox's does not. */
function setpriv(): string | null {
  if (setprivFound === undefined) {
    const found = findBinary('setpriv');
    const works = found !== null && spawnSync(found, ['--pdeathsig', 'TERM', 'true']).status === 0;
    setprivFound = works ? found : null;
  }
  return setprivFound;
}

function commandOf(options: ChildOptions): {
  file: string;
  args: readonly string[];
  spawnOptions: SpawnOptions;
} {
  const { runAs } = options;
  const wrapper = setpriv();
  if (wrapper === null) {
    return {
      file: options.file,
      args: options.args,
      spawnOptions: runAs === undefined ? {} : { uid: runAs.uid, gid: runAs.gid },
    };
  }
  const privileges = ['--pdeathsig', (options.parentDeathSignal ?? 'SIGKILL').replace('SIG', '')];
  if (runAs !== undefined) {
    privileges.push('--reuid', String(runAs.uid), '--regid', String(runAs.gid), '--clear-groups');
    if (runAs.passesClosedFolders) {
      privileges.push('--inh-caps', '+dac_override', '--ambient-caps', '+dac_override');
    }
  }
  return { file: wrapper, args: [...privileges, '--', options.file, ...options.args], spawnOptions: {} };
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

/**
 * Starts a child in its own process group, so that Ctrl-C in the terminal reaches only this process, which stops its children
 * in order.
 *
 * The child ends with this process, even if this process is killed.
 *
 * @returns when the program runs; it may not be ready yet.
 * @throws Error when the program cannot be run.
 */
export async function startChild(options: ChildOptions): Promise<RunningChild> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a', 0o600);
  const { file, args, spawnOptions } = commandOf(options);
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      ...spawnOptions,
      cwd: '/',
      env: options.env,
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }

  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const pid = child.pid as number;
  // Processes that a child leaves in its group would still hold its port or its data.
  void exited.then(() => signalGroup(pid, 'SIGKILL'));
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) {
      signalGroup(pid, 'SIGKILL');
    }
  };

  return {
    pid,
    process: child,
    exited,
    kill,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(options.stopSignal);
      }
      const timer = setTimeout(kill, options.stopGraceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
