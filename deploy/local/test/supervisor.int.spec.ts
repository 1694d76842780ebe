import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identifyProcess, isAlive, type ProcessIdentity, startChild, waitUntil } from '@pinkas/local-servers';
import type { Part, ProcessPart, TaskPart } from '../src/part.js';
import { PartFailedError, Supervisor } from '../src/supervisor.js';

let folder: string;
let said: string[];
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

/** Lives on, and notes in the shared file that it was told to stop. */
const silent = (name: string) => `
  process.on('SIGTERM', () => {
    require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'stops'))}, '${name}\\n');
    process.exit(0);
  });
  setInterval(() => {}, 1000);
`;

/** The same, and says 'ready'. */
const steady = (name: string) => `${silent(name)}console.log('ready');`;

function supervise(parts: readonly Part[], restMs?: (deaths: number) => number): Supervisor {
  supervisor = new Supervisor(parts, { changed: () => undefined, said: (line) => said.push(line) }, restMs);
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
  said = [];
});

afterEach(async () => {
  await supervisor.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('Supervisor', () => {
  it('starts a part only after what it needs is ready', async () => {
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
    let looks = 0;
    await supervise([
      task('second', ['first']),
      task('first', ['server']),
      {
        ...server,
        isReady: async () => {
          looks += 1;
          return looks > 3 && ((await server.isReady?.()) ?? false);
        },
      },
    ]).start();

    expect(order).toEqual(['first with server ready', 'second with server ready']);
    expect(supervisor.isReady()).toBe(true);
  }, 30_000);

  it('starts a killed part again at once, and knows its new process', async () => {
    await supervise([part('one', steady('one'))]).start();
    const before = processOf('one');

    process.kill(before.pid, 'SIGKILL');
    await waitUntil(() => supervisor.states()[0]?.restarts === 1 && supervisor.isReady(), {
      what: 'the part is back',
      timeoutMs: 20_000,
    });

    expect(processOf('one').pid).not.toBe(before.pid);
    expect(isAlive(processOf('one'))).toBe(true);
    expect(said).toEqual(['one was ended by SIGKILL; starting it again at once']);
  }, 30_000);

  /** Kills the part, and waits until it runs again for the n-th time. */
  const dieAndReturn = async (restarts: number) => {
    process.kill(processOf('one').pid, 'SIGKILL');
    await waitUntil(() => supervisor.states()[0]?.restarts === restarts && supervisor.isReady(), {
      what: `restart ${restarts}`,
      timeoutMs: 20_000,
      everyMs: 5,
    });
  };

  it('rests longer after each death in a row', async () => {
    await supervise([part('one', steady('one'))]).start();
    for (const restarts of [1, 2, 3, 4]) await dieAndReturn(restarts);
    expect(said.map((line) => line.replace(/.*again /, ''))).toEqual([
      'at once',
      'in 0.5 s',
      'in 1 s',
      'in 2 s',
    ]);
  }, 60_000);

  it('ends a rest when a repair is asked for', async () => {
    await supervise([part('one', steady('one'))], (deaths) => (deaths === 1 ? 0 : 3_600_000)).start();
    await dieAndReturn(1);
    process.kill(processOf('one').pid, 'SIGKILL');
    await waitUntil(() => supervisor.states()[0]?.status === 'resting', {
      what: 'the part rests',
      timeoutMs: 20_000,
    });
    await supervisor.repair();
    await waitUntil(() => supervisor.isReady(), { what: 'the part is back', timeoutMs: 20_000 });
  }, 60_000);

  it('replaces a part that no longer answers when a repair is asked for', async () => {
    let answers = true;
    const deaf = part('one', steady('one'));
    const isReady = deaf.isReady;
    await supervise([
      {
        ...deaf,
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
      timeoutMs: 20_000,
    });

    expect(isAlive(before)).toBe(false);
  }, 30_000);

  it('fails with the end of the log when a part keeps dying before it was ever ready', async () => {
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
  }, 30_000);

  it('stops the edge before the services, and the servers last', async () => {
    await supervise([
      part('server', steady('server'), { layer: 'server' }),
      part('stand-in', steady('stand-in'), { layer: 'stand-in' }),
      part('service', steady('service'), { layer: 'service' }),
      part('gateway', steady('gateway'), { layer: 'edge' }),
    ]).start();
    const processes = ['server', 'stand-in', 'service', 'gateway'].map(processOf);

    await supervisor.stop();

    expect(readFileSync(join(folder, 'stops'), 'utf8').trim().split('\n')).toEqual([
      'gateway',
      'service',
      'stand-in',
      'server',
    ]);
    expect(processes.map(isAlive)).toEqual([false, false, false, false]);
  }, 30_000);

  it('stops while a part is still getting ready', async () => {
    const starting = supervise([part('slow', silent('slow'))]).start();
    starting.catch(() => undefined);
    await waitUntil(() => supervisor.states()[0]?.process !== null, {
      what: 'the part runs',
      timeoutMs: 10_000,
    });
    const identity = identifyProcess(processOf('slow').pid);

    await supervisor.stop();

    await expect(starting).rejects.toThrow('stopped before everything was ready');
    expect(identity !== null && isAlive(identity)).toBe(false);
  }, 30_000);
});
