import { setTimeout as pass } from 'node:timers/promises';
import {
  allocationSettled,
  artifactRendered,
  type CreateDocument,
  documentIssued,
  messageSent,
} from '@pinkas/contracts';
import { freeze, memoryMbOf } from '../../harness/processes.js';
import { type RunningStack, sendsMail } from '../../harness/running-stack.js';
import { sendHostile } from '../../hostile/send-hostile.js';
import { tourConsole } from '../../hostile/tour-console.js';
import { type Caller, callersOf, closedLoop, quote } from '../driver.js';
import { timesOfAll } from '../published-events.js';
import { figures, latencies, median, progress, type Row } from '../report.js';
import type { ScenarioOptions, StartSystem } from '../scenarios.js';

const seed = 20260615;

/** What becomes of a document after its commit: how long each step takes, and how fast a backlog is worked off. */
export async function measureSteps(start: StartSystem): Promise<Row[]> {
  const calmDocuments = 100;
  const waitingDocuments = 1_000;
  const outageDocuments = 100;
  const outageMs = 60_000;
  const stack = await start();
  const caller = (await callersOf(stack, 1, { tax_authority_connected: true, ...sendsMail }))(0);
  progress(`${calmDocuments} documents, one after the other …`);
  await closedLoop({ times: 10 }, () => caller.issue(mailedInvoice(true)));
  const calm: string[] = [];
  await closedLoop({ times: calmDocuments }, async () => calm.push(await caller.issue(mailedInvoice(true))));
  await timesOfAll(stack, calm, messageSent);

  progress(`${waitingDocuments} documents, while allocation and delivery are stopped …`);
  let thaw = await freeze(stack, ['allocation', 'delivery']);
  const waiting = await backlog(caller, waitingDocuments).finally(thaw);
  const thawed = performance.now();
  await timesOfAll(stack, waiting, messageSent);
  const workedOffS = (performance.now() - thawed) / 1_000;

  progress(`${outageDocuments} more, and then ${outageMs / 1_000} s without NATS …`);
  thaw = await freeze(stack, ['allocation', 'delivery']);
  let thawNats = () => {};
  const left = await backlog(caller, outageDocuments)
    .then(async (ids) => {
      thawNats = await freeze(stack, ['nats']);
      return ids;
    })
    .finally(thaw);
  await pass(outageMs);
  thawNats();
  const back = performance.now();
  await timesOfAll(stack, left, messageSent);
  const caughtUpS = (performance.now() - back) / 1_000;

  /** What every document must do after its commit. */
  const steps = [
    { name: 'settled', event: allocationSettled, words: 'the allocation number' },
    { name: 'final_pdf', event: artifactRendered, words: 'the PDF that has it' },
    { name: 'smtp', event: messageSent, words: 'the mail being accepted by the mail server' },
  ];
  const rows: Row[] = [];
  const issuedAt = await timesOfAll(stack, calm, documentIssued);
  for (const { name, event, words } of steps) {
    const times = await timesOfAll(stack, calm, event);
    const sinceCommit = calm.map((id) => (times.get(id) ?? Number.NaN) - (issuedAt.get(id) ?? Number.NaN));
    rows.push(...latencies(`commit_to_${name}_*_ms`, sinceCommit, `from the commit to ${words}`));
  }
  const waitingWords = `${waitingDocuments} documents waiting; each sent, every tenth settled and its PDF made final`;
  const outageWords = `${outageMs / 1_000} s without NATS to the last mail of ${outageDocuments} documents that waited`;
  return [
    ...rows,
    ...figures({
      post_issue_steps_per_s: [(waitingDocuments * 1.2) / workedOffS, `steps a second with ${waitingWords}`],
      nats_outage_catch_up_s: [caughtUpS, `from the end of ${outageWords}`],
    }),
  ];
}

/** An invoice that is mailed. @param asksForNumber whether it needs an allocation number, and so a second PDF. */
const mailedInvoice = (asksForNumber: boolean): CreateDocument => ({
  type: 'tax_invoice',
  customer: { name: 'לקוח למדידה', tax_id: '777777723', email: 'customer@example.com' },
  items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: asksForNumber ? 6_000 : 100 }],
});

/** Every tenth document asks for a number. So many callers keep issuing busy although each waits for services that are stopped. */
async function backlog(caller: Caller, times: number): Promise<string[]> {
  const ids: string[] = [];
  let begun = 0;
  await closedLoop({ lanes: 64, times }, async () => {
    begun += 1;
    ids.push(await caller.issue(mailedInvoice(begun % 10 === 0)));
  });
  return ids;
}

/** Hostile bodies, headers and paths against the HTTP API, and forms of the console: what they get, how long it takes, what it costs. */
export async function measureHostile(
  start: StartSystem,
  { requests = 20_000 }: ScenarioOptions,
): Promise<Row[]> {
  /** Sent before memory is looked at for the first time: code is compiled, pools are filled. */
  const warmRequests = 5_000;
  /** The proof of the person is fresh for ten. */
  const consoleMaxMs = 8 * 60_000;
  const stack = await start();
  const { key } = await stack.newIssuer();
  const target = { baseUrl: (await stack.file()).base_url, key };
  const memoryMb = async () =>
    memoryMbOf(await stack.pidOf('gateway'), 'VmRSS') + memoryMbOf(await stack.pidOf('issuing'), 'VmRSS');
  const show = ({ statuses, findings }: { statuses: object; findings: readonly string[] }) => {
    progress(
      [`  answers: ${JSON.stringify(statuses)}`, ...findings.map((finding) => `  ${finding}`)].join('\n'),
    );
  };
  progress(`${requests} hostile requests …`);
  await sendHostile(target, { count: warmRequests, seed: seed - 1 });
  const beforeMb = await memoryMb();
  const report = await sendHostile(target, {
    count: requests,
    seed,
    progress: (sent) => progress(`  ${sent} of ${requests}`),
  });
  const grownMb = (await memoryMb()) - beforeMb;
  show(report);
  progress(`${requests / 2} hostile pages and forms of the console …`);
  const tour = await tourConsole(stack, { count: requests / 2, seed, forMs: consoleMaxMs, progress });
  show(tour);
  if (tour.findings.length > 0) {
    throw new Error('the console has findings');
  }
  const failed = Object.entries(report.statuses)
    .filter(([status]) => status.startsWith('5') || status === 'closed')
    .reduce((sum, [, count]) => sum + count, 0);
  return [
    ...figures({
      hostile_requests: [report.requests, 'hostile requests sent'],
      hostile_5xx: [failed, 'of them answered 5xx, or not at all'],
    }),
    ...latencies('hostile_*_ms', report.latenciesMs, 'time of an answer'),
    ...figures({
      hostile_console_requests: [tour.requests, 'hostile pages and forms sent to the console'],
      hostile_console_findings: [tour.findings.length, 'of them answered 5xx, with a leak, or with a change'],
      hostile_memory_growth_mb: [grownMb, 'growth of the memory of gateway and issuing'],
    }),
  ];
}

/** What callers notice of a frozen NATS and of a killed process. */
export async function measureFaults(start: StartSystem): Promise<Row[]> {
  const stack = await start();
  const caller = (await callersOf(stack, 1))(0);
  await caller.issue(quote);
  return [...(await measureFrozenNats(stack, caller)), ...(await measureKilledIssuing(stack, caller))];
}

async function measureFrozenNats(stack: RunningStack, caller: Caller): Promise<Row[]> {
  const frozenMs = 45_000;
  const words = `${frozenMs / 1_000} s without NATS`;
  progress(`${words} …`);
  const thaw = await freeze(stack, ['nats']);
  const refusedAfterMs: number[] = [];
  await closedLoop({ forMs: frozenMs }, async () => {
    const sentMs = performance.now();
    await caller.issue(quote).then(
      () => {
        throw new Error('a document was issued without NATS');
      },
      () => refusedAfterMs.push(performance.now() - sentMs),
    );
    await pass(500);
  }).finally(thaw);
  const healedS = await untilServed(caller, 20);
  return figures({
    frozen_nats_refusal_max_ms: [Math.max(...refusedAfterMs), 'longest time until a refusal without NATS'],
    frozen_nats_heal_s: [healedS, `from the end of ${words} until every request is served`],
  });
}

async function measureKilledIssuing(stack: RunningStack, caller: Caller): Promise<Row[]> {
  /** Requests that are in flight when issuing is killed, and how often that is done. */
  const inFlight = 8;
  const kills = 5;
  progress(`issuing killed with ${inFlight} requests in flight, ${kills} times …`);
  const answeredAfterMs: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    // No rendering ends before issuing is killed.
    const thaw = await freeze(stack, ['gotenberg']);
    try {
      const refusedAtMs: number[] = [];
      const answers = closedLoop({ lanes: inFlight, times: inFlight }, () =>
        caller.issue(quote).catch(() => refusedAtMs.push(performance.now())),
      );
      await pass(1_000);
      const pid = await stack.pidOf('issuing');
      const killedMs = performance.now();
      process.kill(pid, 'SIGKILL');
      await answers;
      answeredAfterMs.push(...refusedAtMs.map((atMs) => atMs - killedMs));
    } finally {
      thaw();
    }
    await untilServed(caller, 1);
  }
  const words = 'from the death of issuing to the answer of a request in its hands, median';
  return figures({
    killed_issuing_answer_p50_ms: [median(answeredAfterMs), words],
    killed_issuing_answer_max_ms: [Math.max(...answeredAfterMs), 'the longest'],
  });
}

/** Waits until so many requests in a row are served. @returns after how many seconds the first of them was sent. */
async function untilServed(caller: Caller, inARow: number): Promise<number> {
  const patienceMs = 120_000;
  const startedMs = performance.now();
  let firstMs = startedMs;
  for (let served = 0; served < inARow; ) {
    const sentMs = performance.now();
    const isServed = await caller.issue(quote).then(
      () => true,
      () => false,
    );
    firstMs = served === 0 ? sentMs : firstMs;
    served = isServed ? served + 1 : 0;
    if (!isServed) {
      await pass(50);
    }
    if (performance.now() > startedMs + patienceMs) {
      throw new Error('the system does not heal');
    }
  }
  return (firstMs - startedMs) / 1_000;
}
