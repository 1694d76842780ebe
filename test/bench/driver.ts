import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import type { BusinessChange, CreateDocument } from '@pinkas/contracts';
import type { RunningStack } from '../harness/running-stack.js';
import { send } from '../harness/send.js';
import { progress } from './report.js';

/** Calls the HTTP API over connections that stay open, with as little work of its own as can be. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
  ) {}

  /** @throws when the answer has another status than expected. */
  async call(
    expected: number,
    path: string,
    post?: { body: object; headers: Record<string, string> },
  ): Promise<string> {
    const { status, text } = await send(this.#agent, this.baseUrl, {
      method: post ? 'POST' : 'GET',
      path,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(post && { 'content-type': 'application/json', ...post.headers }),
      },
      body: post && JSON.stringify(post.body),
    });
    if (status !== expected) {
      throw new Error(`${path} answered ${status}: ${text}`);
    }
    return text;
  }

  /** Asks for a document. */
  post(expected: number, body: CreateDocument, key: string = randomUUID()): Promise<string> {
    return this.call(expected, '/documents', { body, headers: { 'idempotency-key': key } });
  }

  /** Issues a document. @returns its id. @throws when it is refused. */
  async issue(body: CreateDocument, key?: string): Promise<string> {
    return (JSON.parse(await this.post(201, body, key)) as { id: string }).id;
  }
}

/** The callers of as many series, each of a business of its own, in turn. */
export type Callers = (lane: number) => Caller;

/** Makes as many businesses, the demo's with these settings, and a caller for each. */
export async function callersOf(
  stack: RunningStack,
  count: number,
  settings: BusinessChange = {},
): Promise<Callers> {
  const { base_url } = await stack.file();
  const callers: Caller[] = [];
  for (let index = 0; index < count; index += 1) {
    callers.push(new Caller(base_url, (await stack.newIssuer(settings)).key));
  }
  return (lane) => callers[lane % count] as Caller;
}

/** An invoice of two lines, which needs no allocation number. */
export const invoice: CreateDocument = {
  type: 'tax_invoice',
  customer: { name: 'לקוח למדידה' },
  items: [
    { description: 'שירות לדוגמה', quantity: 2, unit_price: 100 },
    { description: 'מוצר לדוגמה', quantity: 1, unit_price: 49.9 },
  ],
};

/** A quote, which needs no allocation number either. */
export const quote: CreateDocument = {
  type: 'quote',
  customer: { name: 'לקוח למדידה' },
  items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
};

/** What was done under a load. */
export interface Load {
  done: number;
  /** What failed. A machine that others use as well may be too slow for some requests. */
  refused: number;
  ms: number;
  /** Of what failed as well. */
  latenciesMs: number[];
}

export const nothing = (): Load => ({ done: 0, refused: 0, ms: 0, latenciesMs: [] });

/** How often a second it was done. */
export const perSecond = ({ done, ms }: Load) => done / (ms / 1_000);

/** Adds one load to another. */
export function add(sum: Load, one: Load): void {
  sum.done += one.done;
  sum.refused += one.refused;
  sum.ms += one.ms;
  sum.latenciesMs.push(...one.latenciesMs);
}

/** How long a piece of work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The same, counted in a load. @param lateMs how long it had to wait until it began. */
async function counted(
  load: Load,
  work: () => Promise<unknown>,
  mayFail: boolean,
  lateMs = 0,
): Promise<void> {
  const done = () => {
    load.done += 1;
  };
  const refused = (error: unknown) => {
    if (!mayFail) {
      throw error;
    }
    load.refused += 1;
  };
  load.latenciesMs.push(lateMs + (await timed(() => work().then(done, refused))));
}

/** How long a closed loop goes on: for a time, for so many pieces of work, or until the first of both is over. */
export interface Closed {
  /** How many pieces of work are done at once; one at a time by default. */
  lanes?: number;
  forMs?: number;
  times?: number;
  /** Whether a failure is counted. By default it ends the measurement. */
  mayFail?: boolean;
}

/** A closed loop: each lane begins its next piece of work when the one before has ended. */
export async function closedLoop(
  { lanes = 1, forMs = Number.POSITIVE_INFINITY, times = Number.POSITIVE_INFINITY, mayFail = false }: Closed,
  work: (lane: number) => Promise<unknown>,
): Promise<Load> {
  const load = nothing();
  let begun = 0;
  const lane = async (index: number) => {
    while (begun < times && performance.now() - started < forMs) {
      begun += 1;
      await counted(load, () => work(index), mayFail);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  load.ms = performance.now() - started;
  return load;
}

/** An open loop: work begins at the times of a Poisson clock, whether what began before has ended or not. Failures are counted. */
export async function openLoop(
  { perS, forMs, random }: { perS: number; forMs: number; random: () => number },
  work: (index: number) => Promise<unknown>,
): Promise<Load> {
  const load = nothing();
  const all: Promise<void>[] = [];
  const between = () => (-Math.log(1 - random()) * 1_000) / perS;
  const started = performance.now();
  for (let at = between(); at <= forMs; at += between()) {
    await pass(Math.max(0, started + at - performance.now()));
    const index = all.length;
    all.push(counted(load, () => work(index), true, performance.now() - started - at));
  }
  await Promise.all(all);
  load.ms = performance.now() - started;
  return load;
}

/**
 * The latencies of a queue without any loss: arrivals of a Poisson clock in their order, each of which keeps one of the
 * processors for the same time, so that they are busy for `share` of theirs. In units of that time.
 */
export function idealQueue(share: number, processors: number, random: () => number): number[] {
  const arrivals = 100_000;
  const free = Array.from({ length: processors }, () => 0);
  let at = 0;
  return Array.from({ length: arrivals }, () => {
    at -= Math.log(1 - random()) / (share * processors);
    const next = free.indexOf(Math.min(...free));
    const end = Math.max(at, free[next] ?? 0) + 1;
    free[next] = end;
    return end - at;
  });
}

/** Several loads in turns, the first one first and then the last one first: a machine that slows down slows all of them. */
export async function inTurns<Name extends string>(
  rounds: number,
  what: string,
  loads: Record<Name, () => Promise<Load>>,
): Promise<Record<Name, Load>> {
  const names = Object.keys(loads) as Name[];
  const sums = Object.fromEntries(names.map((name) => [name, nothing()])) as Record<Name, Load>;
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}: ${what} …`);
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      add(sums[name], await loads[name]());
    }
  }
  return sums;
}
