import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { callersOfSeries, issueInvoice } from './callers.js';
import { add, type Counted, inLanes } from './lanes.js';
import { packedKb } from './packed-size.js';
import { cpuSecondsOf, residentMbOf } from './process-table.js';
import { figure, type Row } from './report.js';
import type { BenchStack } from './stack.js';

/** As many series, each of a business of its own, issue at once. */
const parallelism = 8;
const rounds = 4;
const roundMs = 8_000;
const warmUpMs = 6_000;
/** How many documents a system has made when its memory is looked at, and when that is dead-lettered. */
const documentsUntilLook = 2_000;
const lookWithinMs = 360_000;
const readyWithinMs = 60_000;

/** One system under load. */
interface Loaded {
  stack: BenchStack;
  issue(lane: number): Promise<unknown>;
  issued: number;
  close(): void;
}

/**
 * What a second replica of each service brings on this machine, and what a replica costs: memory, processor time, the time
 * until it is ready, and the size of its image.
 */
export async function measureReplicas(
  startSystem: (replicas: number) => Promise<BenchStack>,
  progress: (text: string) => void,
): Promise<Row[]> {
  const one = await load(await startSystem(1));
  const idleMb = memoryOf(one.stack);
  const two = await load(await startSystem(2));
  try {
    progress('warming up …');
    for (const system of [one, two]) {
      await inLanes(parallelism, warmUpMs, system.issue);
    }

    const counts = { one: nothing(), two: nothing() };
    for (let round = 0; round < rounds; round += 1) {
      progress(`round ${round + 1} of ${rounds}: one replica and two in turns, ${parallelism} callers …`);
      // First one first, then the other: a machine that slows down or speeds up slows or speeds both.
      const turns = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const);
      for (const turn of turns) {
        add(counts[turn], await inLanes(parallelism, roundMs, turn === 'one' ? one.issue : two.issue));
      }
    }

    progress(`issuing until there are ${documentsUntilLook} documents …`);
    const cpuBefore = cpuOf(one.stack);
    const issuedBefore = one.issued;
    const end = performance.now() + lookWithinMs;
    while (one.issued < documentsUntilLook && performance.now() < end) {
      await inLanes(parallelism, 2_000, one.issue);
    }
    const documents = one.issued - issuedBefore;
    const cpuS = cpuOf(one.stack).map((after, index) => (after.s - (cpuBefore[index]?.s ?? 0)) / documents);
    const names = cpuBefore.map(({ name }) => name);
    const cpuOfServices = serviceNames.map((name) => cpuS[names.indexOf(name)] ?? Number.NaN);
    const fullMb = memoryOf(one.stack);

    const readyS = new Map<ServiceName, number>();
    for (const service of serviceNames) {
      progress(`how long ${service} takes to be ready …`);
      const times = [await readyAgainS(two.stack, service), await readyAgainS(two.stack, `${service}-2`)];
      readyS.set(service, times.reduce((sum, time) => sum + time, 0) / times.length);
    }

    const packed = new Map<ServiceName, number>();
    for (const service of serviceNames) {
      progress(`packing ${service} …`);
      packed.set(service, await packedKb(service));
    }

    const perS = (counted: Counted) => counted.done / (counted.ms / 1_000);
    const each = (name: string, value: (service: ServiceName) => number, meaning: string): Row[] =>
      serviceNames.map((service) => figure(`${name}_${service}`, value(service), meaning));
    return [
      figure('docs_per_s_one_replica', perS(counts.one), `documents a second, ${parallelism} callers`),
      figure('docs_per_s_two_replicas', perS(counts.two), 'the same load, two processes of each service'),
      ...each('ready_s', (service) => readyS.get(service) ?? Number.NaN, 'from a death to being ready, s'),
      figure('documents_made', one.issued, 'so many were made when the memory was looked at'),
      ...each('idle_rss_mb', (service) => idleMb[service], 'memory when it has just become ready, MB'),
      ...each('rss_mb', (service) => fullMb[service], 'memory after the documents, MB'),
      ...each('rss_growth_mb', (service) => fullMb[service] - idleMb[service], 'the difference, MB'),
      seconds('cpu_s_per_document', sum(cpuS), 'processor time of everything, servers and Chromium too, s'),
      seconds('cpu_s_per_document_of_services', sum(cpuOfServices), 'of which the services, s'),
      ...each('bundle_kb', (service) => packed.get(service) ?? Number.NaN, 'what its image holds, KB'),
    ];
  } finally {
    one.close();
    two.close();
  }
}

/** Of hundredths of a second, two decimals would leave nothing. */
const seconds = (name: string, value: number, meaning: string): Row => ({
  name,
  value: Math.round(value * 10_000) / 10_000,
  meaning,
});
const nothing = (): Counted => ({ done: 0, ms: 0, latenciesMs: [] });
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

async function load(stack: BenchStack): Promise<Loaded> {
  const callers = await callersOfSeries(stack, parallelism);
  const [first] = callers;
  const loaded: Loaded = {
    stack,
    issued: 0,
    issue: async (lane) => {
      await issueInvoice(callers[lane] ?? first);
      loaded.issued += 1;
    },
    close: () => {
      for (const caller of callers) {
        caller.close();
      }
    },
  };
  return loaded;
}

function memoryOf({ file }: BenchStack): Record<ServiceName, number> {
  const mb = (service: ServiceName) =>
    residentMbOf(file.services.find(({ name }) => name === service)?.pid ?? Number.NaN);
  return Object.fromEntries(serviceNames.map((service) => [service, mb(service)])) as Record<
    ServiceName,
    number
  >;
}

function cpuOf({ file }: BenchStack): { name: string; s: number }[] {
  return file.services.map(({ name, pid }) => ({ name, s: cpuSecondsOf(pid) }));
}

/** Ends a process as if it had died, and waits until the one that takes its place is ready. */
async function readyAgainS({ file }: BenchStack, name: string): Promise<number> {
  const part = file.services.find((service) => service.name === name);
  if (!part?.health_url) {
    throw new Error(`${name} does not run`);
  }
  process.kill(part.pid, 'SIGKILL');
  const died = performance.now();
  const isReady = () =>
    fetch(part.health_url ?? '', { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
  // The dead one answers no more: the caller that says that it is ready is the next.
  while (!(await isReady())) {
    if (performance.now() - died > readyWithinMs) {
      throw new Error(`${name} did not get ready`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return (performance.now() - died) / 1_000;
}
