import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../process/logger.js';
import { Tracing } from '../tracing/tracing.js';
import { type Job, JobWorker, type NextDue } from './job-worker.js';

const job: Job = { request_id: null, trace: null, business_id: 'b' };
const logger = createLogger('test', 'silent');

/** A worker of one row, which is due at an instant, as in a table. */
function workerOf(dueInMs: number | null) {
  let dueAtMs = dueInMs === null ? null : Date.now() + dueInMs;
  const log: string[] = [];
  const looks: (() => void)[] = [];
  let ran = () => {};
  const whenRun = new Promise<void>((resolve) => {
    ran = resolve;
  });
  const worker = new JobWorker({
    name: 'test',
    concurrency: 2,
    claimMs: 60_000,
    logger: createLogger('test', 'silent'),
    tracing: Tracing.off,
    nextDue: async () => {
      log.push('look');
      looks.shift()?.();
      const now = new Date();
      return {
        now,
        inMs: dueAtMs === null ? Number.POSITIVE_INFINITY : Math.max(0, dueAtMs - now.getTime()),
      };
    },
    claim: async () => {
      log.push('claim');
      dueAtMs = null;
      return [job];
    },
    run: async () => {
      log.push('run');
      ran();
    },
  });
  return {
    worker,
    log,
    whenRun,
    nextLook: () => new Promise<void>((resolve) => looks.push(resolve)),
    makeDue: () => {
      dueAtMs = Date.now();
    },
  };
}

describe('JobWorker', () => {
  it('a worker claims nothing while nothing is due', async () => {
    const { worker, log, nextLook } = workerOf(null);
    const first = nextLook();
    worker.start();
    await first;
    const second = nextLook();
    worker.trigger();
    await second;
    await worker.stop();
    expect(log).toEqual(['look', 'look']);
  });

  it('a worker executes a row when it is due, without a trigger', async () => {
    const { worker, log, whenRun } = workerOf(20);
    worker.start();
    await whenRun;
    await worker.stop();
    expect(log.filter((entry) => entry !== 'look')).toEqual(['claim', 'run']);
  });

  it('a worker executes a row that became due during its pause after a trigger', async () => {
    const { worker, log, nextLook, makeDue, whenRun } = workerOf(null);
    const first = nextLook();
    worker.start();
    await first;
    // The worker pauses by then.
    await new Promise(setImmediate);
    makeDue();
    worker.trigger();
    await whenRun;
    await worker.stop();
    expect(log.filter((entry) => entry !== 'look')).toEqual(['claim', 'run']);
  });
});

it('a row that is given to a worker takes no place for which it claims others, and none once it stops', async () => {
  let claimed: (rows: Job[]) => void = () => {};
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const worker = new JobWorker({
    name: 'test',
    concurrency: 2,
    claimMs: 60_000,
    logger,
    tracing: Tracing.off,
    nextDue: async () => ({ now: new Date(), inMs: 0 }),
    claim: () =>
      new Promise<Job[]>((resolve) => {
        claimed = resolve;
      }),
    run: () => isReleased,
  });
  expect(worker.hasRoom).toBe(true);
  worker.start();
  await new Promise(setImmediate);
  expect(worker.execute(job)).toBe(false);
  claimed([job]);
  await new Promise(setImmediate);
  expect(worker.execute(job)).toBe(true);
  expect(worker.execute(job)).toBe(false);
  const stopped = worker.stop();
  release();
  await stopped;
  expect(worker.execute(job)).toBe(false);
});

it('a worker that claimed as many rows as it has places for takes no new row before it finds none that waits', async () => {
  const looks: ((due: NextDue) => void)[] = [];
  const turn = () => new Promise(setImmediate);
  const worker = new JobWorker({
    name: 'test',
    concurrency: 1,
    claimMs: 60_000,
    logger,
    tracing: Tracing.off,
    nextDue: () => new Promise<NextDue>((resolve) => looks.push(resolve)),
    claim: async () => [job],
    run: turn as () => Promise<void>,
  });
  worker.start();
  looks.shift()?.({ now: new Date(), inMs: 0 });
  while (looks.length === 0) {
    await turn();
  }
  expect(worker.hasRoom).toBe(false);
  looks.shift()?.({ now: new Date(), inMs: Number.POSITIVE_INFINITY });
  await turn();
  expect(worker.hasRoom).toBe(true);
  await worker.stop();
});
