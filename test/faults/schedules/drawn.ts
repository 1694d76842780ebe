import { serviceNames } from '@pinkas/contracts';
import type { StoreFault } from '@pinkas/testkit';
import { randomFrom } from '../../hostile/hostile-request.js';
import type { Fault, FaultKind } from '../engine/faults.js';
import { killPointNames } from '../engine/kill-points.js';

/** A fault, and for how long. */
export interface DrawnFault extends Fault {
  forMs: number;
}

/** One or two faults at a time. */
export interface Step {
  number: number;
  faults: readonly DrawnFault[];
}

const replicas = serviceNames.flatMap((name) => [name, `${name}-2`]);
const servers = ['postgres', 'nats', 'redis'];
const outside = ['gotenberg', 'tax-authority', 'mailbox', 'whatsapp'];
const processes = [...replicas, ...servers, ...outside];
const proxied = [...servers, ...outside];

/**
 * The modes of simulators after which the system heals without a person. A number of another document, and a login or a
 * subscription that the authority does not accept, wait for one.
 */
const modes: Readonly<Record<string, readonly object[]>> = {
  gotenberg: [{ fail_every: 2 }, { fail_every: 1 }, { delay_ms: 3_000 }, { hang: true }],
  'tax-authority': [
    { mode: 'refuse' },
    { mode: 'error' },
    { mode: 'hang' },
    { mode: 'malformed' },
    { mode: 'lost' },
    { mode: 'rate', retry_after: 5 },
    { mode: 'not_found' },
    { delay_ms: 6_000 },
  ],
  mailbox: [
    { mode: 'refuse' },
    { mode: 'temporary' },
    { mode: 'greylist' },
    { mode: 'hang' },
    { mode: 'drop_after_data' },
    { mode: 'drop_tls' },
    { mode: 'ascii_only' },
  ],
  whatsapp: [
    { mode: 'error' },
    { mode: 'error_in_200' },
    { mode: 'refuse' },
    { mode: 'hang' },
    { mode: 'malformed' },
    { delay_ms: 5_000 },
  ],
};

interface Kind {
  /** How often it is drawn, compared with the others. */
  weight: number;
  /** Whether it is drawn only where PDFs are in an object store. */
  ofStore?: true;
  targets: readonly string[];
  values?: (target: string) => readonly string[];
}

/** Every kind of fault. */
export const kinds = {
  kill: { weight: 4, targets: processes },
  // Each in turn, besides what is drawn.
  'kill at': { weight: 0, targets: killPointNames(true) },
  stop: { weight: 4, targets: processes },
  terminate: { weight: 3, targets: processes },
  'rolling restart': { weight: 1, targets: serviceNames },
  swallow: { weight: 3, targets: proxied },
  delay: { weight: 1, targets: proxied },
  trickle: { weight: 1, targets: proxied },
  reset: { weight: 2, targets: proxied },
  'cut after commit': { weight: 2, targets: ['postgres'] },
  'cut before commit': { weight: 1, targets: ['postgres'] },
  'kill a backend': { weight: 1, targets: ['postgres'] },
  'terminate backends': { weight: 1, targets: ['postgres'] },
  'immediate shutdown': { weight: 1, targets: ['postgres'] },
  wipe: { weight: 2, targets: ['redis', 'nats'] },
  'full disk': { weight: 2, targets: ['postgres', 'nats', 'logs'] },
  clock: { weight: 2, targets: replicas, values: () => ['300', '-300', '3600', '-3600', '3'] },
  simulator: {
    weight: 3,
    targets: Object.keys(modes),
    values: (target) => (modes[target] ?? []).map((mode) => JSON.stringify(mode)),
  },
  'object store': {
    ...{ weight: 3, ofStore: true, targets: ['object store'] },
    values: () => ['silent', '500', '503', 'reset', 'cut', 'wrong bytes'] satisfies StoreFault[],
  },
} satisfies Record<FaultKind, Kind>;

/** PostgreSQL is cut off first: how soon the system heals after that is measured. */
const first: Fault = { kind: 'swallow', target: 'postgres' };
const shortestMs = 1_000;
/** More than the slowest answer takes. */
const authorityMs = 20_000;

/**
 * Draws the schedule of a seed, step after step without end; the same seed and longest time draw the same. Every second step has
 * the next kill point: a storm of twice as many steps as there are kill points reaches each of them.
 * @param longestMs how long a fault lasts at most. Short ones are as frequent as long ones.
 * @param hasStore whether PDFs are in an object store.
 */
export function* drawSchedule(seed: number, longestMs: number, hasStore: boolean): Generator<Step, never> {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const bag = (Object.entries(kinds) as [FaultKind, Kind][]).flatMap(([kind, { weight, ofStore }]) =>
    Array.from({ length: ofStore && !hasStore ? 0 : weight }, () => kind),
  );
  const draw = (): DrawnFault => {
    const kind = pick(bag);
    const { targets, values }: Kind = kinds[kind];
    const target = pick(targets);
    const forMs = Math.round(shortestMs * (longestMs / shortestMs) ** random());
    return { kind, target, forMs, value: values ? pick(values(target)) : '' };
  };
  const points = killPointNames(hasStore)
    .map((target) => ({ target, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ target }): DrawnFault => ({ kind: 'kill at', target, forMs: shortestMs }));
  yield { number: 1, faults: [{ ...first, forMs: Math.min(longestMs, 20_000) }] };
  for (let number = 2; ; number += 1) {
    const one = number % 2 === 0 ? (points[(number / 2 - 1) % points.length] as DrawnFault) : draw();
    const other = random() < 0.5 ? draw() : one;
    yield { number, faults: other.target === one.target ? [one] : [one, other] };
  }
}

/** Every kill point alone, one after the other. */
export function killPointSteps(hasStore: boolean): Step[] {
  return killPointNames(hasStore).map((target, index) => ({
    number: index + 1,
    faults: [{ kind: 'kill at', target, forMs: shortestMs }],
  }));
}

/** The authority does not accept the application as well. Seeds do not draw it: it would change what each of them draws. */
const authorityModes = [...(modes['tax-authority'] ?? []), { mode: 'wrong_client' }];

/** Each way in which the authority fails, once, while allocation dies at the next of its kill points. */
export function authoritySteps(longestMs: number): Step[] {
  const points = killPointNames(false).filter((name) => name.startsWith('F7 '));
  const forMs = Math.min(longestMs, authorityMs);
  return authorityModes.map((mode, index) => ({
    number: index + 1,
    faults: [
      { kind: 'simulator', target: 'tax-authority', forMs, value: JSON.stringify(mode) },
      { kind: 'kill at', target: points[index % points.length] as string, forMs: shortestMs },
    ],
  }));
}

/** A fault in words. */
export function wordsOf({ kind, target, forMs, value }: DrawnFault): string {
  return `${kind} ${target}${value ? ` ${value}` : ''}, ${(forMs / 1_000).toFixed(1)} s`;
}
