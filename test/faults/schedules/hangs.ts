import { setTimeout as pass } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { invoice } from '../../harness/running-stack.js';
import type { BookedBusiness } from '../engine/callers.js';
import type { Engine } from '../engine/engine.js';
import type { Fault } from '../engine/faults.js';
import type { Schedule } from './schedule.js';

/** As long as a machine that is paused, or a network that fails over; longer than every deadline of a request. */
const brokenMs = 45_000;
/** Between two requests of a caller: the load is there to meet the fault, and each document is checked at the end. */
const pauseMs = 4_000;

/** Faults under load for 45 s: each request is served, or refused so that it may be sent again. */
function hang(
  name: string,
  faults: readonly Fault[],
  {
    servedWithinMs = 60_000,
    whileBroken = async () => {},
    last = async () => {},
  }: {
    servedWithinMs?: number;
    whileBroken?: (engine: Engine) => Promise<void>;
    last?: (engine: Engine) => Promise<unknown>;
  } = {},
): Schedule {
  return {
    name,
    load: { pauseMs, servedWithinMs },
    happen: (engine) =>
      engine.during(faults, async () => {
        await Promise.all([pass(brokenMs), whileBroken(engine)]);
        await last(engine);
      }),
  };
}

const stop = (target: string): Fault => ({ kind: 'stop', target });
const swallow = (target: string): Fault => ({ kind: 'swallow', target });
const refusing = { servedWithinMs: 30_000, whileBroken: expectReadyAndRefusing };

export const hangingServers: readonly Schedule[] = [
  hang('the system answers or refuses in time, and heals automatically, after NATS was frozen', [
    stop('nats'),
  ]),
  hang(
    'the system heals after a network that swallows everything to and from NATS forwards it again, and until then the gateway stays ready and refuses with engine_error',
    [swallow('nats')],
    refusing,
  ),
  hang(
    'the system heals after a network that swallowed everything to and from NATS resets',
    [swallow('nats')],
    { last: (engine) => engine.apply({ kind: 'reset', target: 'nats' }) },
  ),
  hang(
    'the system answers or refuses in time, and heals automatically, while PostgreSQL is frozen, and the gateway stays ready and refuses with engine_error',
    [stop('postgres')],
    refusing,
  ),
  hang('the system answers or refuses in time, and heals automatically, while the renderer is frozen', [
    stop('gotenberg'),
  ]),
];

// What no request waits for hangs together.
export const hangingServices: readonly Schedule[] = [
  ['gateway'],
  ['issuing', 'customer'],
  ['rendering'],
  ['allocation', 'delivery', 'redis'],
].map((parts) =>
  hang(
    `the system answers or refuses in time, and heals automatically, while parts are frozen: ${parts.join(', ')}`,
    parts.map(stop),
  ),
);

/** The gateway is ready without a part, and refuses what needs it. */
async function expectReadyAndRefusing({ businesses, system: { stack } }: Engine): Promise<void> {
  const [{ issuer }] = businesses as [BookedBusiness];
  const { status, body } = await stack.issue(issuer.key, invoice(100));
  expect([status, body.error.code, body.error.retryable]).toEqual([502, 'engine_error', true]);
  const { services } = await stack.file();
  const gateway = services.find(({ name }) => name === 'gateway');
  const ready = await fetch(String(gateway?.health_url), { signal: AbortSignal.timeout(5_000) });
  expect(ready.status).toBe(200);
}
