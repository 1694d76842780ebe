import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Caller, issueQuote, newIssuer } from './callers.js';
import { figure, percentile, type Row } from './report.js';
import { type BenchStack, freeze } from './stack.js';

const frozenMs = 45_000;
/** Requests that are in flight when issuing is killed, and how often that is done. */
const inFlight = 8;
const kills = 5;
/** Served in a row, they show that the system has healed. */
const servedInARow = 20;
const patienceMs = 120_000;

/** What callers notice of a frozen NATS and of a killed process. */
export async function measureFaults(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const { key } = await newIssuer(stack);
  const caller = new Caller(stack.file.base_url, key);
  try {
    await issueQuote(caller);
    progress(`NATS frozen for ${frozenMs / 1_000} s …`);
    const frozen = await measureFrozenNats(stack, caller);
    progress(`issuing killed with ${inFlight} requests in flight, ${kills} times …`);
    const killed = await measureKilledIssuing(stack, caller);
    return [...frozen, ...killed];
  } finally {
    caller.close();
  }
}

async function measureFrozenNats(stack: BenchStack, caller: Caller): Promise<Row[]> {
  const refusedAfterMs: number[] = [];
  const thaw = freeze(stack, ['nats']);
  const end = performance.now() + frozenMs;
  try {
    while (performance.now() < end) {
      const startedMs = performance.now();
      await issueQuote(caller).then(
        () => {
          throw new Error('a document was issued without NATS');
        },
        () => refusedAfterMs.push(performance.now() - startedMs),
      );
      await pause(500);
    }
  } finally {
    thaw();
  }
  const thawedMs = performance.now();
  // From the thaw to the first of the requests that are all served.
  let healedMs = thawedMs;
  for (let served = 0; served < servedInARow; ) {
    const startedMs = performance.now();
    const isServed = await issueQuote(caller).then(
      () => true,
      () => false,
    );
    if (isServed) {
      healedMs = served === 0 ? startedMs : healedMs;
      served += 1;
    } else {
      served = 0;
      await pause(50);
    }
    if (performance.now() > thawedMs + patienceMs) {
      throw new Error('the system does not heal after NATS was frozen');
    }
  }
  return [
    figure(
      'frozen_nats_refusal_max_ms',
      Math.max(...refusedAfterMs),
      'longest time until a refusal without NATS',
    ),
    figure(
      'frozen_nats_heal_s',
      (healedMs - thawedMs) / 1_000,
      `from the end of ${frozenMs / 1_000} s without NATS until every request is served`,
    ),
  ];
}

async function measureKilledIssuing(stack: BenchStack, caller: Caller): Promise<Row[]> {
  const answeredAfterMs: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    // No rendering ends before issuing is killed.
    const thaw = freeze(stack, ['gotenberg']);
    try {
      const answered = Array.from({ length: inFlight }, () =>
        issueQuote(caller).then(
          () => undefined,
          () => performance.now(),
        ),
      );
      await pause(1_000);
      const pid = await pidOf(stack, 'issuing');
      const killedMs = performance.now();
      process.kill(pid, 'SIGKILL');
      for (const at of await Promise.all(answered)) {
        if (at !== undefined) {
          answeredAfterMs.push(at - killedMs);
        }
      }
    } finally {
      thaw();
    }
    await untilServed(caller);
  }
  return [
    figure(
      'killed_issuing_answer_p50_ms',
      percentile(answeredAfterMs, 0.5),
      'from the death of issuing to the answer of a request in its hands, median',
    ),
    figure('killed_issuing_answer_max_ms', Math.max(...answeredAfterMs), 'the longest'),
  ];
}

async function untilServed(caller: Caller): Promise<void> {
  const end = performance.now() + patienceMs;
  while (
    !(await issueQuote(caller).then(
      () => true,
      () => false,
    ))
  ) {
    if (performance.now() > end) {
      throw new Error('issuing does not come back');
    }
    await pause(200);
  }
}

async function pidOf({ home }: BenchStack, service: string): Promise<number> {
  const { services } = JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')) as BenchStack['file'];
  const found = services.find(({ name }) => name === service);
  if (!found) {
    throw new Error(`${service} does not run`);
  }
  return found.pid;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
