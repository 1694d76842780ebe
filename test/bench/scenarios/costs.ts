import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { promisify } from 'node:util';
import { documentIssued, messageSent, serviceNames } from '@pinkas/contracts';
import { RequestRecorder } from '@pinkas/gateway/request-recorder';
import { createLogger, type Database, Metrics, openDatabase } from '@pinkas/service-kit';
import { scrape } from '@pinkas/testkit';
import { sql } from 'kysely';
import {
  cpuSecondsDuring,
  cpuSecondsOf,
  eachProcess,
  memoryMbOf,
  proportionalMbOf,
} from '../../harness/processes.js';
import { type RunningStack, sendsMail } from '../../harness/running-stack.js';
import { repositoryRoot } from '../../harness/sources.js';
import { type Callers, callersOf, closedLoop, inTurns, invoice, perSecond } from '../driver.js';
import { timesOfAll } from '../published-events.js';
import { figure, median, progress, type Row } from '../report.js';
import type { ScenarioOptions, StartSystem } from '../scenarios.js';

/** What the gateway stores its log in. */
type LogTables =
  ConstructorParameters<typeof RequestRecorder>[0] extends Database<infer Tables> ? Tables : never;

/** As many series, each of a business of its own. */
const parallelism = 8;
const warmUpMs = 6_000;
const bytesPerKb = 1_024;
const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** What the callers, the outside world and the command use is no cost of the system. */
const outside = ['tax-authority', 'mailbox', 'whatsapp', 'fault-proxy'];
export const printServer = 'gotenberg';

/** What a process has used since its start. The statements were sent to PostgreSQL, each a round trip. */
const usedNames = ['cpu_ms', 'statements', 'messages_in', 'messages_out'];
const metrics = [
  'pinkas_database_statements_total',
  'pinkas_nats_messages_total{direction="in"}',
  'pinkas_nats_messages_total{direction="out"}',
];
/** In the order of their names. */
type Used = readonly number[];

/** The kinds of documents, and the last event of each: the customer has nothing but a name, or an email as well. */
const withEmail = { ...invoice, customer: { ...invoice.customer, email: 'customer@example.com' } };
const kinds = [
  { suffix: '', body: invoice, last: documentIssued, words: 'without an email' },
  { suffix: '_email', body: withEmail, last: messageSent, words: 'with an email' },
];

/** The processor time, statements and messages of a document by process, from the request to its last event. */
export async function measureCost(start: StartSystem): Promise<Row[]> {
  const documentCount = 400;
  const stack = await start();
  const callers = await callersOf(stack, parallelism, sendsMail);
  const rows: Row[] = [];
  for (const { suffix, body, last, words } of kinds) {
    const ids: string[] = [];
    const issue = async (lane: number) => ids.push(await callers(lane).issue(body));
    progress('warming up …');
    await closedLoop({ lanes: parallelism, forMs: warmUpMs, mayFail: true }, issue);
    progress(`${documentCount} documents ${words} …`);
    const before = await usedBy(stack);
    ids.length = 0;
    await closedLoop({ lanes: parallelism, times: documentCount, mayFail: true }, issue);
    await timesOfAll(stack, ids, last);
    let outsidePrintMs = 0;
    progress(`${`a document ${words}`.padEnd(32)}${usedNames.map((name) => name.padStart(14)).join('')}`);
    for (const [process, used] of await usedBy(stack)) {
      const costs = usedNames.map((_, index) => {
        return ((used[index] ?? 0) - (before.get(process)?.[index] ?? 0)) / ids.length;
      });
      progress(process.padEnd(32) + costs.map((cost) => cost.toFixed(1).padStart(14)).join(''));
      const [cpuMs = 0, statements = 0] = costs;
      outsidePrintMs += process === printServer ? 0 : cpuMs;
      // A server sends no statements, and its messages are not counted.
      for (const [index, name] of usedNames.slice(0, statements > 0 ? undefined : 1).entries()) {
        const meaning = `${name} of a document ${words}`;
        rows.push(figure(`${name}${suffix}_${process}`, costs[index] ?? Number.NaN, meaning));
      }
    }
    const meaning = `processor time of a document ${words}, ms, of all processes but the print server`;
    rows.push(figure(`outside_print_cpu_ms${suffix}`, outsidePrintMs, meaning));
  }
  return [...rows, ...(await measureRequestLog(stack))];
}

/**
 * What of this is the log of requests, which no gateway runs without: its recorder in this process, with as many requests a second as
 * a document a second of eight series makes.
 */
async function measureRequestLog(stack: RunningStack): Promise<Row[]> {
  const seconds = 60;
  const requestsPerSecond = 50;
  const { postgres, services } = await stack.file();
  const issuer = await stack.newIssuer();
  const logger = createLogger('bench', 'silent');
  const db = openDatabase<LogTables>({
    ...{ url: postgres.gateway, poolSize: 1, applicationName: 'bench', logger },
  });
  const recorder = new RequestRecorder(db, { now: () => new Date() }, logger, new Metrics());
  recorder.start();
  const server = services.find(({ name }) => name === 'postgres')?.pid ?? 0;
  const round = async () => {
    for (let request = 0; request < requestsPerSecond; request += 1) {
      recorder.note({
        ...{ businessId: issuer.business.id, keyId: issuer.apiKey.id, requestId: randomUUID() },
        ...{ arrivedAt: new Date(), method: 'POST', route: '/documents', status: 201 },
        ...{ idempotencyKey: randomUUID(), replayed: false, documentId: randomUUID(), durationMs: 30 },
        ...{ error: undefined, body: undefined },
      });
    }
    await pass(1_000);
  };
  await round();
  progress(`${seconds} seconds of the log of requests …`);
  const [before, serverBefore] = [process.cpuUsage(), cpuSecondsOf(server)];
  for (let second = 0; second < seconds; second += 1) {
    await round();
  }
  const { user, system } = process.cpuUsage(before);
  const serverMs = (cpuSecondsOf(server) - serverBefore) * 1_000;
  await recorder.stop();
  await db.destroy();
  const requests = seconds * requestsPerSecond;
  return [
    figure(
      'request_log_cpu_ms',
      ((user + system) / 1_000 + serverMs) / requests,
      'of them the log of requests, for each',
    ),
    figure('request_log_gateway_cpu_ms', (user + system) / 1_000 / requests, 'its part in the gateway'),
  ];
}

/** What each process has used since its start, in the order of the names. */
export async function usedBy(stack: RunningStack): Promise<Map<string, Used>> {
  const used = new Map<string, Used>();
  for (const { name, pid, health_url } of (await stack.file()).services) {
    if (!outside.includes(name)) {
      // A server has no metrics.
      const samples = health_url?.endsWith('/readyz')
        ? await scrape({ healthPort: Number(new URL(health_url).port) })
        : new Map<string, number>();
      used.set(name, [cpuSecondsOf(pid) * 1_000, ...metrics.map((metric) => samples.get(metric) ?? 0)]);
    }
  }
  return used;
}

/** The memory of each process, in MB, after so many documents. */
interface Look {
  documents: number;
  mb: ReadonlyMap<string, number>;
}

/**
 * The memory of each process after many documents, and its slope over them: the first half of the documents belongs to several
 * series, the second to one. When the time is over, the figures are those of the documents that were issued by then.
 */
export async function measureMemory(
  start: StartSystem,
  { documents = 8_000 }: ScenarioOptions,
): Promise<Row[]> {
  const lanes = 16;
  /** Issued before the memory is looked at for the first time: code is compiled, pools and heaps reach their size. */
  const warmUpDocuments = Math.round(documents * 0.1);
  /** How often the memory is looked at, of several series and of one. */
  const looks = 20;
  const untilMs = performance.now() + 60 * 60_000;
  const stack = await start();
  const callers = await callersOf(stack, parallelism);
  let issued = 0;
  let refused = 0;
  const issue = async (times: number, series: number) => {
    const forMs = untilMs - performance.now();
    const load = await closedLoop({ lanes, times, forMs, mayFail: true }, (lane) =>
      callers(lane % series).issue(invoice),
    );
    issued += load.done;
    refused += load.refused;
  };
  const look = async (): Promise<Look> => ({
    documents: issued,
    mb: await eachProcess(stack, proportionalMbOf),
  });
  const watch = async (series: number): Promise<[Look, ...Look[]]> => {
    const seen: [Look, ...Look[]] = [await look()];
    while (seen.length <= looks && performance.now() < untilMs) {
      await issue(Math.round(documents / 2 / looks), series);
      const now = await look();
      seen.unshift(now);
      const sizes = [...now.mb].map(([name, mb]) => `${name} ${Math.round(mb)}`).join(', ');
      progress(`${issued} documents, ${series} series: ${sizes} MB`);
    }
    return seen;
  };

  progress(`warming up with ${warmUpDocuments} documents …`);
  await issue(warmUpDocuments, parallelism);
  const warmDocuments = issued;
  const diskBefore = await diskKbOf(stack);
  const several = await watch(parallelism);
  const one = await watch(1);
  const rows = [
    figure('memory_documents', issued, 'documents were issued at the last look at the memory'),
    figure('memory_refused', refused, 'requests that were answered with an error'),
  ];
  const words = 'by 1,000 documents';
  for (const [name, mb] of one[0].mb) {
    rows.push(
      figure(`memory_mb_${name}`, mb, 'memory then, with what the process has started, MB'),
      figure(`memory_slope_${parallelism}_series_${name}`, slopeOf(several, name), `growth ${words}, MB`),
      figure(`memory_slope_one_series_${name}`, slopeOf(one, name), `growth ${words} of one series, MB`),
    );
  }
  for (const [name, kb] of await diskKbOf(stack)) {
    const grownKb = (kb - (diskBefore.get(name) ?? Number.NaN)) / (issued - warmDocuments);
    rows.push(figure(`disk_kb_per_document_${name}`, grownKb, 'growth on disk by one document, KB'));
  }
  return rows;
}

/** The median of the slopes between all pairs (Theil and Sen), in MB by 1,000 documents: one look at a heap proves nothing. */
function slopeOf(looks: readonly Look[], name: string): number {
  const slopes = looks.flatMap((later, index) =>
    looks.slice(index + 1).map((earlier) => {
      const grownMb = (later.mb.get(name) ?? Number.NaN) - (earlier.mb.get(name) ?? Number.NaN);
      return (grownMb / (later.documents - earlier.documents)) * 1_000;
    }),
  );
  return median(slopes);
}

/** What each database, and the streams of NATS, take on disk, in KB. */
async function diskKbOf(stack: RunningStack): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const service of serviceNames) {
    const { rows } = await sql<{ kb: number }>`
      select (pg_database_size(current_database()) / 1024)::int as kb`.execute(await stack.database(service));
    sizes.set(service, rows[0]?.kb ?? Number.NaN);
  }
  const blocks = (file: string) => statSync(file, { throwIfNoEntry: false })?.blocks ?? 0;
  return sizes.set('nats', sum(filesBelow(join(stack.home, 'data/nats')).map(blocks)) / 2);
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/**
 * What a second replica of each service brings on this machine, and what a replica costs: memory, processor time, the time
 * until it is ready, and the size of its image.
 */
export async function measureReplicas(start: StartSystem): Promise<Row[]> {
  const rounds = 4;
  const roundMs = 8_000;
  /** How many documents a system has made when its memory is looked at. */
  const documentsUntilLook = 2_000;
  const lookWithinMs = 360_000;
  const one = await start();
  const callersOfOne = await callersOf(one, parallelism);
  const idleMb = await residentMbOf(one);
  const two = await start({ PINKAS_REPLICAS: '2' });
  const callersOfTwo = await callersOf(two, parallelism);
  const load = (callers: Callers, limits: { forMs: number; times?: number }) =>
    closedLoop({ lanes: parallelism, ...limits }, (lane) => callers(lane).issue(invoice));

  progress('warming up …');
  let made = (await load(callersOfOne, { forMs: warmUpMs })).done;
  await load(callersOfTwo, { forMs: warmUpMs });
  const rates = await inTurns(rounds, 'one replica and two in turns', {
    one: () => load(callersOfOne, { forMs: roundMs }),
    two: () => load(callersOfTwo, { forMs: roundMs }),
  });
  made += rates.one.done;

  progress(`issuing until there are ${documentsUntilLook} documents …`);
  const times = documentsUntilLook - made;
  const { result, used } = await cpuSecondsDuring(one, () =>
    load(callersOfOne, { forMs: lookWithinMs, times }),
  );
  made += result.done;
  const ofServices = serviceNames.map((name) => used.get(name) ?? Number.NaN);
  const fullMb = await residentMbOf(one);

  const callers = `documents a second, ${parallelism} callers`;
  const words = 'processor time of everything, servers and Chromium too, s';
  const rows = [
    figure('docs_per_s_one_replica', perSecond(rates.one), callers),
    figure('docs_per_s_two_replicas', perSecond(rates.two), 'the same load, two processes of each service'),
    figure('documents_made', made, 'so many were made when the memory was looked at'),
    figure('cpu_s_per_document', sum(used.values()) / result.done, words, 4),
    figure('cpu_s_per_document_of_services', sum(ofServices) / result.done, 'of which the services, s', 4),
  ];
  for (const service of serviceNames) {
    progress(`how long ${service} takes to be ready, and how large it is packed …`);
    const readyS = ((await readyAgainS(two, service)) + (await readyAgainS(two, `${service}-2`))) / 2;
    const [idle = Number.NaN, full = Number.NaN] = [idleMb.get(service), fullMb.get(service)];
    rows.push(
      figure(`ready_s_${service}`, readyS, 'from a death to being ready, s'),
      figure(`idle_rss_mb_${service}`, idle, 'memory when it has just become ready, MB'),
      figure(`rss_mb_${service}`, full, 'memory after the documents, MB'),
      figure(`rss_growth_mb_${service}`, full - idle, 'the difference, MB'),
      figure(`bundle_kb_${service}`, await packedKb(service), 'what its image holds beside Node, KB'),
    );
  }
  return rows;
}

const residentMbOf = (stack: RunningStack) => eachProcess(stack, (pid) => memoryMbOf(pid, 'VmRSS'));

/** Ends a process as if it had died, and waits until the one that takes its place is ready. */
async function readyAgainS(stack: RunningStack, name: string): Promise<number> {
  const url = (await stack.file()).services.find((service) => service.name === name)?.health_url ?? '';
  await stack.kill(name);
  const died = performance.now();
  const isReady = () =>
    fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  // The dead one answers no more: who says to be ready is the next.
  while (!(await isReady())) {
    if (performance.now() - died > 60_000) {
      throw new Error(`${name} did not get ready`);
    }
    await pass(20);
  }
  return (performance.now() - died) / 1_000;
}

async function packedKb(service: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pinkas-packed-'));
  try {
    const packer = join(repositoryRoot, 'deploy/pack-images.mjs');
    await promisify(execFile)(process.execPath, [packer, folder, service], { timeout: 180_000 });
    return sum(filesBelow(folder).map((file) => lstatSync(file).size)) / bytesPerKb;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
