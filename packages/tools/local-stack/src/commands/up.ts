import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { environment, readConfig, repositoryRoot } from '../config.js';
import { type Home, openHome, readJson } from '../home.js';
import { checkVersion } from '../home-version.js';
import { type RunState, readState, supervisorOf } from '../run-state.js';
import { identifyProcess, isAlive, lastLines, type ProcessIdentity, waitUntil } from '../servers/index.js';
import type { StackFile } from '../stack-file.js';
import { errorLine, showStart, stepErrorOf } from '../start-progress.js';
import { StepError, type Steps } from '../steps.js';
import { noteLayout, readLayout } from './layout.js';

/** A new supervisor first ends the processes that an earlier one left running. */
const acquireTimeoutMs = 60_000;
const stopTimeoutMs = 90_000;
const repairTimeoutMs = 90_000;

function startSupervisor(home: Home): ProcessIdentity {
  const log = openSync(home.logFile('supervisor'), 'a', 0o600);
  try {
    const entry = join(repositoryRoot, 'packages/tools/local-stack/dist/supervise.js');
    const child = spawn(process.execPath, ['--enable-source-maps', entry], {
      cwd: '/',
      detached: true,
      env: { ...environment, PINKAS_HOME: home.path },
      stdio: ['ignore', log, log],
    });
    child.unref();
    const identity = child.pid === undefined ? null : identifyProcess(child.pid);
    if (identity === null) {
      throw new StepError('the supervisor could not be started', home.logFile('supervisor'));
    }
    return identity;
  } finally {
    closeSync(log);
  }
}

function supervisorFailed(home: Home): StepError {
  const logFile = home.logFile('supervisor');
  const lines = lastLines(logFile, 8);
  return new StepError(errorLine(lines) ?? 'the supervisor ended and logged nothing', logFile, lines);
}

/** Returns a function that reads the supervisor's state; it throws when the supervisor has failed or has ended. */
function reader(home: Home, supervisor: ProcessIdentity): () => RunState {
  return () => {
    // In this order: a supervisor writes its last state before it ends.
    const alive = isAlive(supervisor);
    const state = readState(home, supervisor);
    if (state?.failure) {
      throw stepErrorOf(state.failure);
    }
    if (state === null || !alive || state.phase === 'failed') {
      throw supervisorFailed(home);
    }
    return state;
  };
}

/** Waits until the supervisor has written its first state; false when it ended before. */
async function hasReported(home: Home, supervisor: ProcessIdentity): Promise<boolean> {
  await waitUntil(() => readState(home, supervisor) !== null || !isAlive(supervisor), {
    what: 'the supervisor acquires the home',
    timeoutMs: acquireTimeoutMs,
  });
  return readState(home, supervisor) !== null;
}

/** The supervisor of this home: the one that runs, otherwise a new one. */
async function findOrStartSupervisor(home: Home): Promise<{ supervisor: ProcessIdentity; isNew: boolean }> {
  const present = supervisorOf(home);
  if (present !== null && (await hasReported(home, present))) {
    const phase = readState(home, present)?.phase;
    if (phase === 'starting' || phase === 'ready') {
      return { supervisor: present, isNew: false };
    }
    await waitUntil(() => !isAlive(present), { what: 'the stopping system ends', timeoutMs: stopTimeoutMs });
  }
  const supervisor = startSupervisor(home);
  if (await hasReported(home, supervisor)) {
    return { supervisor, isNew: true };
  }
  // Another `up` may have started one at the same moment.
  const other = supervisorOf(home);
  if (other !== null && (await hasReported(home, other))) {
    return { supervisor: other, isNew: false };
  }
  throw supervisorFailed(home);
}

async function repair(steps: Steps, read: () => RunState): Promise<void> {
  await steps.run('repair', async (detail) => {
    const before = read();
    process.kill(before.supervisor.pid, 'SIGUSR2');
    let failure: unknown;
    await waitUntil(
      () => {
        try {
          const { parts, repairs } = read();
          const open = parts.filter(({ status }) => status !== 'ready' && status !== 'done');
          detail(open.map(({ name }) => name).join(', '));
          return repairs > before.repairs && open.length === 0;
        } catch (error) {
          failure = error;
          return true;
        }
      },
      { what: 'everything is ready again', timeoutMs: repairTimeoutMs, everyMs: 50 },
    );
    if (failure !== undefined) {
      throw failure;
    }
    detail('everything runs');
  });
}

/** Shows the rest of a start, and waits until the system of this supervisor is ready; its stack file is complete then. */
export async function finishStart(steps: Steps, home: Home, supervisor: ProcessIdentity): Promise<void> {
  await hasReported(home, supervisor);
  const read = reader(home, supervisor);
  await showStart(steps, () => read().parts);
  await waitUntil(() => read().phase === 'ready', { what: 'the system is ready', timeoutMs: 10_000 });
}

/** Starts the system in the background, or repairs the one that runs; returns when it is ready. */
export async function up(steps: Steps, args: readonly string[]): Promise<number> {
  readLayout(args);
  const config = readConfig();
  const home = openHome(config.home);
  checkVersion(home);
  const { supervisor, isNew } = await findOrStartSupervisor(home);
  const read = reader(home, supervisor);
  if (isNew || read().phase === 'starting') {
    await finishStart(steps, home, supervisor);
  } else {
    await repair(steps, read);
    noteLayout(steps, home, config.layout);
  }
  const stack = readJson<StackFile>(home.stackFile);
  process.stdout.write(
    [
      '',
      `  Pinkas runs at ${stack?.base_url}`,
      `  Its reference: ${stack?.docs_url}`,
      `  A test key: ${stack?.demo?.test_api_key}`,
      `  All keys and addresses: ${home.stackFile}`,
      '',
      '  npm start issues a document and prints a link to sign in to the console; npm run down stops it.',
      '',
      '',
    ].join('\n'),
  );
  return 0;
}
