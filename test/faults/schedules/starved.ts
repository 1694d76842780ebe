import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { timeLimitsMs } from '@pinkas/contracts';
import type { Engine } from '../engine/engine.js';
import { expectEveryMailOnce, type Schedule } from './schedule.js';

/** Between two requests of a caller. */
const pauseMs = 2_000;
/** Between two pauses of the system: what waited is served. */
const calmMs = 1_500;
const neighbourCount = 4;
/** Longer than a schedule: they end also where the test is killed. */
const neighbourLifeMs = 180_000;

/** The test itself has the callers, and the proxies of all servers. */
const itself = 'the test';
const parts = [
  ['gateway'],
  ['issuing', 'customer'],
  ['rendering', 'allocation', 'delivery'],
  ['nats'],
  [itself],
];

/** What a process writes that takes another one for dead. */
const verdicts =
  /"msg":"(nats connection lost|renderer circuit opened|event dead-lettered|idle database connection lost)"/;

/** Parts of the system, and the test, get no processor time, one after the other, next to busy programs of the same control group. */
function starve(name: string, ms: number): Schedule {
  let before: System = { pids: [], verdicts: 0 };
  return {
    name,
    load: { pauseMs },
    happen: async (engine) => {
      before = await look(engine);
      const neighbours = startNeighbours();
      try {
        for (const part of parts) {
          await withoutProcessorTime(engine, part, ms);
          await pass(calmMs);
        }
      } finally {
        for (const neighbour of neighbours) {
          neighbour.kill('SIGKILL');
        }
      }
    },
    check: async (engine) => {
      expect(await look(engine)).toEqual(before);
      expect(engine.callers.refused.filter((refusal) => isEarly(refusal, ms))).toEqual([]);
      await expectEveryMailOnce(engine);
    },
  };
}

export const starved: readonly Schedule[] = [
  starve(
    'processes that get no processor time for a second are not taken for dead, and no request is refused early',
    1_000,
  ),
  starve(
    'processes that get no processor time for three seconds are not taken for dead, and no request is refused early',
    3_000,
  ),
  starve('processes that get no processor time for six seconds are not taken for dead', 6_000),
];

interface System {
  /** Of all processes: one that is replaced has another. */
  pids: unknown[];
  /** How often one process has taken another for dead. */
  verdicts: number;
}

async function look({ system: { stack } }: Engine): Promise<System> {
  const { services } = await stack.file();
  const logs = await Promise.all(services.map(({ name }) => stack.logOf(name)));
  return {
    pids: services.map(({ name, pid }) => [name, pid]),
    verdicts: logs.flatMap((log) => log.split('\n')).filter((line) => verdicts.test(line)).length,
  };
}

async function withoutProcessorTime(engine: Engine, part: readonly string[], ms: number): Promise<void> {
  if (part.includes(itself)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return;
  }
  await engine.during(
    part.map((target) => ({ kind: 'stop', target })),
    () => pass(ms),
  );
}

/** Whether a request was refused before its time: a read before that of its call, a document before a handler counts as silent. */
function isEarly({ method, tookMs }: Engine['callers']['refused'][number], ms: number): boolean {
  // A server that has not answered for so long gets no call for more than a second.
  const isServerSilent = ms >= timeLimitsMs.silence;
  return !isServerSilent && tookMs < (method === 'GET' ? timeLimitsMs.call : timeLimitsMs.silence);
}

function startNeighbours(): ChildProcess[] {
  const loop = `const end = Date.now() + ${neighbourLifeMs}; while (Date.now() < end);`;
  return Array.from({ length: neighbourCount }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  );
}
