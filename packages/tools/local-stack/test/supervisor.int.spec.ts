import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Part, ProcessPart, TaskPart } from '../src/part.js';
import {
  identifyProcess,
  isAlive,
  type ProcessIdentity,
  startChild,
  waitUntil,
} from '../src/servers/index.js';
import { PartFailedError, Supervisor } from '../src/supervisor.js';

let folder: string;
let reports: string[];
let supervisor: Supervisor;

/** A part that runs this script; it is ready once it has printed 'ready'. */
function part(name: string, script: string, rest: Partial<ProcessPart> = {}): ProcessPart {
  const logFile = join(folder, `${name}.log`);
  return {
    kind: 'process',
    name,
    layer: 'service',
    needs: [],
    logFile,
    readyWithinMs: 20_000,
    healthUrl: null,
    isReady: async () => readFileSync(logFile, 'utf8').includes('ready'),
    start: () =>
      startChild({
        file: process.execPath,
        args: ['-e', script],
        env: {},
        logFile,
        stopSignal: 'SIGTERM',
        stopGraceMs: 5_000,
      }),
    ...rest,
  };
}

/** Runs until SIGTERM, and records that in the shared file. */
const silent = (name: string) => `
  process.on('SIGTERM', () => {
    require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'stops'))}, '${name}\\n');
    process.exit(0);
  });
  setInterval(() => {}, 1000);
`;

/** The same, and prints 'ready'. */
const steady = (name: string) => `${silent(name)}console.log('ready');`;

function supervise(parts: readonly Part[], backoffMs?: (crashes: number) => number): Supervisor {
  supervisor = new Supervisor(
    parts,
    { changed: () => undefined, report: (line) => reports.push(line) },
    backoffMs,
  );
  return supervisor;
}

function processOf(name: string): ProcessIdentity {
  const identity = supervisor.states().find((state) => state.name === name)?.process;
  if (!identity) {
    throw new Error(`${name} has no process`);
  }
  return identity;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinkas-supervisor-'));
  reports = [];
});

afterEach(async () => {
  await supervisor.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('Supervisor', () => {
  it('a part starts only after the parts that it needs are ready', async () => {
    const order: string[] = [];
    const task = (name: string, needs: readonly string[]): TaskPart => ({
      kind: 'task',
      name,
      layer: 'database',
      needs,
      logFile: join(folder, name),
      run: async () => {
        order.push(`${name} with server ${supervisor.states()[2]?.status}`);
      },
    });

    const server = part('server', steady('server'), { layer: 'server' });
    let probes = 0;
    await supervise([
      task('second', ['first']),
      task('first', ['server']),
      {
        ...server,
        isReady: async () => {
          probes += 1;
          return probes > 3 && ((await server.isReady?.()) ?? false);
        },
      },
    ]).start();

    expect(order).toEqual(['first with server ready', 'second with server ready']);
    expect(supervisor.isReady()).toBe(true);
  });

  it('a killed part is restarted at once, and its state has the new process', async () => {
    await supervise([part('one', steady('one'))]).start();
    const before = processOf('one');

    process.kill(before.pid, 'SIGKILL');
    await waitUntil(() => supervisor.states()[0]?.restarts === 1 && supervisor.isReady(), {
      what: 'the part is back',
      timeoutMs: 60_000,
    });

    expect(processOf('one').pid).not.toBe(before.pid);
    expect(isAlive(processOf('one'))).toBe(true);
    expect(reports).toEqual(['one was ended by SIGKILL; it is restarted now']);
  });

  /** Kills the part, and waits until it was restarted this many times. */
  const killAndWait = async (restarts: number) => {
    process.kill(processOf('one').pid, 'SIGKILL');
    await waitUntil(() => supervisor.states()[0]?.restarts === restarts && supervisor.isReady(), {
      what: `restart ${restarts}`,
      timeoutMs: 60_000,
      everyMs: 5,
    });
  };

  it('the backoff delay grows with each crash in a row', async () => {
    await supervise([part('one', steady('one'))]).start();
    for (const restarts of [1, 2, 3, 4]) {
      await killAndWait(restarts);
    }
    expect(reports.map((line) => line.replace(/.*restarted /, ''))).toEqual([
      'now',
      'in 0.5 s',
      'in 1 s',
      'in 2 s',
    ]);
  });

  it('a repair ends a backoff delay', async () => {
    await supervise([part('one', steady('one'))], (crashes) => (crashes === 1 ? 0 : 3_600_000)).start();
    await killAndWait(1);
    process.kill(processOf('one').pid, 'SIGKILL');
    await waitUntil(() => supervisor.states()[0]?.status === 'backoff', {
      what: 'the part is in backoff',
      timeoutMs: 60_000,
    });
    await supervisor.repair();
    await waitUntil(() => supervisor.isReady(), { what: 'the part is back', timeoutMs: 60_000 });
  });

  it('a repair replaces a part that does not answer', async () => {
    let answers = true;
    const unresponsive = part('one', steady('one'));
    const isReady = unresponsive.isReady;
    await supervise([
      {
        ...unresponsive,
        isReady: async () => {
          if (!answers) {
            throw new Error('no answer');
          }
          return (await isReady?.()) ?? false;
        },
      },
    ]).start();
    const before = processOf('one');

    answers = false;
    await supervisor.repair();
    answers = true;
    await waitUntil(() => supervisor.states()[0]?.restarts === 1 && supervisor.isReady(), {
      what: 'the part is back',
      timeoutMs: 60_000,
    });

    expect(isAlive(before)).toBe(false);
  });

  it('the start fails with the last log lines of a part that crashes repeatedly before it is ready', async () => {
    const starting = supervise([
      part('well', steady('well')),
      part('broken', `console.error('the setting X is missing'); process.exit(3);`),
    ]).start();

    const error = await starting.then(
      () => null,
      (reason: unknown) => reason,
    );

    expect(error).toBeInstanceOf(PartFailedError);
    expect(error).toMatchObject({ part: 'broken', reason: 'ended with code 3' });
    expect((error as PartFailedError).lines).toContain('the setting X is missing');
  });

  it('the edge stops before the services, and the servers stop last', async () => {
    await supervise([
      part('server', steady('server'), { layer: 'server' }),
      part('simulator', steady('simulator'), { layer: 'simulator' }),
      part('service', steady('service'), { layer: 'service' }),
      part('gateway', steady('gateway'), { layer: 'edge' }),
    ]).start();
    const processes = ['server', 'simulator', 'service', 'gateway'].map(processOf);

    await supervisor.stop();

    expect(readFileSync(join(folder, 'stops'), 'utf8').trim().split('\n')).toEqual([
      'gateway',
      'service',
      'simulator',
      'server',
    ]);
    expect(processes.map(isAlive)).toEqual([false, false, false, false]);
  });

  it('a stop during the start ends the part that is not ready yet', async () => {
    const starting = supervise([part('slow', silent('slow'))]).start();
    starting.catch(() => undefined);
    await waitUntil(() => supervisor.states()[0]?.process !== null, {
      what: 'the part runs',
      timeoutMs: 60_000,
    });
    const identity = identifyProcess(processOf('slow').pid);

    await supervisor.stop();

    await expect(starting).rejects.toThrow('stopped before everything was ready');
    expect(identity !== null && isAlive(identity)).toBe(false);
  });
});
