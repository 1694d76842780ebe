import { documentIssued } from '@pinkas/contracts';
import { eventually, WebhookReceiver } from '@pinkas/testkit';
import type { Issuer, RunningStack } from '../../harness/running-stack.js';
import { fillEvents } from '../book-of-copies.js';
import { Caller, closedLoop, invoice, timed } from '../driver.js';
import { startFloor } from '../floor/processes.js';
import { timesOfAll } from '../published-events.js';
import { figure, latencies, median, percentile, progress, type Row } from '../report.js';
import type { ScenarioOptions, StartSystem } from '../scenarios.js';
import { printServer, usedBy } from './costs.js';

const parallelism = 8;
const warmUpMs = 6_000;
/** After this time webhooks that are still missing are called lost. */
const patienceMs = 120_000;

/** A receiver that notes when it received the first event `document.issued` of each document. */
interface NotingReceiver {
  readonly url: string;
  /** By document, in milliseconds since 1970. */
  readonly times: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** What webhooks and the list of events cost, and how soon a webhook is received. */
export async function measureEvents(
  start: StartSystem,
  { documents: events = 100_000 }: ScenarioOptions,
): Promise<Row[]> {
  const stack = await start();
  const good = await startReceiver();
  const dead = await WebhookReceiver.start();
  dead.answer = () => {};
  try {
    return [
      ...(await measureEventCost(stack, good)),
      ...(await measureDelay(stack, good, dead)),
      ...(await measureList(stack, events)),
    ];
  } finally {
    await Promise.all([good.stop(), dead.stop()]);
  }
}

async function startReceiver(): Promise<NotingReceiver> {
  const receiver = await WebhookReceiver.start();
  const times = new Map<string, number>();
  receiver.answer = ({ body }, response) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { document?: { id: string } } };
    if (type === 'document.issued' && data.document && !times.has(data.document.id)) {
      times.set(data.document.id, Date.now());
    }
    response.writeHead(204).end();
  };
  return { url: receiver.url, times, stop: () => receiver.stop() };
}

const allReceived = ({ times }: NotingReceiver, ids: readonly string[]) =>
  eventually(`${ids.length} webhooks are received`, () => ids.every((id) => times.has(id)), patienceMs);

const createEndpoint = (stack: RunningStack, { business }: Issuer, url: string) =>
  stack.pinkas('webhook', 'create', url, '--business', business.id);

async function issuersOf(stack: RunningStack, count: number) {
  const { base_url } = await stack.file();
  const issuers: { issuer: Issuer; caller: Caller }[] = [];
  for (let index = 0; index < count; index += 1) {
    const issuer = await stack.newIssuer();
    issuers.push({ issuer, caller: new Caller(base_url, issuer.key) });
  }
  return issuers;
}

/** The processor time of a document of a business with one endpoint, until it is received, and without. */
async function measureEventCost(stack: RunningStack, receiver: NotingReceiver): Promise<Row[]> {
  const rounds = 4;
  const documentsOfRound = 100;
  const without = await issuersOf(stack, parallelism);
  const withEndpoint = await issuersOf(stack, parallelism);
  for (const { issuer } of withEndpoint) {
    await createEndpoint(stack, issuer, receiver.url);
  }
  const kinds = {
    without: {
      issuers: without,
      done: (ids: string[]) => timesOfAll(stack, ids, documentIssued),
      ms: 0,
      count: 0,
    },
    with: { issuers: withEndpoint, done: (ids: string[]) => allReceived(receiver, ids), ms: 0, count: 0 },
  };
  const issue = (issuers: typeof without, ids: string[]) => async (lane: number) => {
    ids.push(await (issuers[lane % parallelism] as (typeof without)[number]).caller.issue(invoice));
  };
  progress('warming up …');
  for (const { issuers } of Object.values(kinds)) {
    await closedLoop({ lanes: parallelism, forMs: warmUpMs, mayFail: true }, issue(issuers, []));
  }
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}: ${documentsOfRound} documents without and with an endpoint …`);
    for (const kind of Object.values(kinds)) {
      const ids: string[] = [];
      const before = await outsidePrintMs(stack);
      await closedLoop(
        { lanes: parallelism, times: documentsOfRound, mayFail: true },
        issue(kind.issuers, ids),
      );
      await kind.done(ids);
      kind.ms += (await outsidePrintMs(stack)) - before;
      kind.count += ids.length;
    }
  }
  const [plain, withEvents] = [kinds.without.ms / kinds.without.count, kinds.with.ms / kinds.with.count];
  const words = 'processor time of a document with one endpoint, ms, of all processes but the print server';
  return [
    figure('outside_print_cpu_ms_events', withEvents, words),
    figure('events_cost_ratio', withEvents / plain, 'against one of a business without events, in turns'),
  ];
}

async function outsidePrintMs(stack: RunningStack): Promise<number> {
  let sumMs = 0;
  for (const [process, [cpuMs = 0]] of await usedBy(stack)) {
    sumMs += process === printServer ? 0 : cpuMs;
  }
  return sumMs;
}

/** From the commit of a document until its webhook is received: alone, and next to an endpoint that never answers. */
async function measureDelay(
  stack: RunningStack,
  receiver: NotingReceiver,
  dead: WebhookReceiver,
): Promise<Row[]> {
  const documents = 200;
  const [one] = await issuersOf(stack, 1);
  if (!one) {
    throw new Error('no issuer');
  }
  await createEndpoint(stack, one.issuer, receiver.url);
  const delays = async () => {
    const ids: string[] = [];
    await closedLoop({ times: documents, mayFail: true }, async () => {
      ids.push(await one.caller.issue(invoice));
    });
    await allReceived(receiver, ids);
    const committed = await timesOfAll(stack, ids, documentIssued);
    return ids.map((id) => (receiver.times.get(id) ?? Number.NaN) - (committed.get(id) ?? Number.NaN));
  };
  progress(`${documents} documents one after the other, received by one endpoint …`);
  const alone = await delays();
  await createEndpoint(stack, one.issuer, dead.url);
  progress('the same next to an endpoint that never answers …');
  const next = await delays();
  return [
    ...latencies('webhook_*_ms', alone, 'from the commit to a received webhook, ms'),
    figure(
      'webhook_fair_p99_ms',
      percentile(next, 0.99),
      'next to an endpoint that never answers, 99th percentile',
    ),
  ];
}

/** Two pages of a long list of events against the floor: `select 1` through the same gateway and one hop over NATS. */
async function measureList(stack: RunningStack, events: number): Promise<Row[]> {
  const samples = 300;
  const warmUpRequests = 50;
  const [one] = await issuersOf(stack, 1);
  if (!one) {
    throw new Error('no issuer');
  }
  // Events begin with the first call of the list.
  await one.caller.call(200, '/events');
  await one.caller.issue(invoice);
  const pageOf = async (query: string) =>
    JSON.parse(await one.caller.call(200, `/events?${query}`)) as { data: unknown[]; next_cursor: string };
  await eventually(
    'the first event is listed',
    async () => (await pageOf('limit=1')).data.length === 1,
    patienceMs,
  );
  progress(`writing ${events} events …`);
  await fillEvents(stack, one.issuer, events);
  const { next_cursor } = await pageOf('limit=100');
  const floor = await startFloor(stack);
  try {
    const caller = new Caller(floor.baseUrl, one.issuer.key);
    const page = `/events?limit=50&cursor=${encodeURIComponent(next_cursor)}`;
    const [floorMs, listMs]: [number[], number[]] = [[], []];
    for (let sample = -warmUpRequests; sample < samples; sample += 1) {
      const pair = [
        await timed(() => caller.call(200, '/floor')),
        await timed(() => caller.call(200, page)),
      ] as const;
      if (sample >= 0) {
        floorMs.push(pair[0]);
        listMs.push(pair[1]);
      }
    }
    const meaning = `GET /v1/events, a page of 50 among ${events}: one at a time`;
    const ratio = median(listMs) / median(floorMs);
    return [
      ...latencies('events_list_*_ms', listMs, meaning),
      figure('events_list_to_floor_ratio', ratio, 'its median by that of the floor'),
    ];
  } finally {
    await floor.stop();
  }
}
