import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { createLogger, openDatabase } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { callersOfSeries, issueInvoice } from './callers.js';
import { timesInLanes } from './lanes.js';
import { proportionalMbOf } from './process-table.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const seriesCount = 8;
const callerCount = 16;
/** Issued before the memory is looked at for the first time: code is compiled, pools and heaps reach their size. */
const warmUpShare = 0.1;
/** How often the memory is looked at, of several series and of one. */
const looks = 20;
const withinMs = 60 * 60_000;

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
  stack: BenchStack,
  progress: (text: string) => void,
  documents = 20_000,
): Promise<Row[]> {
  const callers = await callersOfSeries(stack, seriesCount);
  const [first] = callers;
  const untilMs = performance.now() + withinMs;
  const warmUpDocuments = Math.round(documents * warmUpShare);
  let issued = 0;
  let refused = 0;
  const issue = (count: number, lane: (lane: number) => Promise<unknown>) =>
    timesInLanes(callerCount, count, untilMs, (index) =>
      lane(index).then(
        () => {
          issued += 1;
        },
        () => {
          refused += 1;
        },
      ),
    );
  const issueAll = (lane: number) => issueInvoice(callers[lane % seriesCount] ?? first);
  const issueOne = () => issueInvoice(first);
  const look = (): Look => ({
    documents: issued,
    mb: new Map(stack.file.services.map(({ name, pid }) => [name, proportionalMbOf(pid)])),
  });

  progress(`warming up with ${warmUpDocuments} documents …`);
  await issue(warmUpDocuments, issueAll);
  const warmDocuments = issued;
  const diskBefore = await diskKbOf(stack);
  const watch = async (name: string, lane: (lane: number) => Promise<unknown>) => {
    const seen = [look()];
    for (let index = 1; index <= looks && performance.now() < untilMs; index += 1) {
      await issue(Math.round(documents / 2 / looks), lane);
      const now = look();
      seen.push(now);
      progress(
        `${issued} documents, ${name}: ${[...now.mb].map(([of, mb]) => `${of} ${Math.round(mb)}`).join(', ')} MB`,
      );
    }
    return seen;
  };
  const several = await watch(`${seriesCount} series`, issueAll);
  const one = await watch('one series', issueOne);
  for (const caller of callers) {
    caller.close();
  }
  const last = one.at(-1) ?? look();
  const diskAfter = await diskKbOf(stack);
  return [
    figure(
      'memory_documents',
      issued,
      'documents were issued when the memory was looked at for the last time',
    ),
    figure('memory_refused', refused, 'requests that were answered with an error'),
    ...[...last.mb].flatMap(([name, mb]) => [
      figure(`memory_mb_${name}`, mb, 'memory then, with what the process has started, MB'),
      figure(
        `memory_slope_${seriesCount}_series_${name}`,
        slopeOf(several, name),
        'growth by 1,000 documents of several series, MB',
      ),
      figure(
        `memory_slope_one_series_${name}`,
        slopeOf(one, name),
        'growth by 1,000 documents of one series, MB',
      ),
    ]),
    ...[...diskAfter].map(([name, kb]) =>
      figure(
        `disk_kb_per_document_${name}`,
        (kb - (diskBefore.get(name) ?? Number.NaN)) / (issued - warmDocuments),
        'growth on disk by one document, KB',
      ),
    ),
  ];
}

/** What each database, and the streams of NATS, take on disk, in KB. */
async function diskKbOf(stack: BenchStack): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const service of serviceNames) {
    sizes.set(service, await databaseKbOf(stack, service));
  }
  sizes.set('nats', kbBelow(join(stack.home, 'data/nats')));
  return sizes;
}

async function databaseKbOf({ file }: BenchStack, service: ServiceName): Promise<number> {
  const logger = createLogger('bench', 'silent');
  const url = file.postgres[service];
  const db = openDatabase<object>({ url, poolSize: 1, applicationName: 'bench', logger });
  try {
    const { rows } = await sql<{ kb: number }>`
      select (pg_database_size(current_database()) / 1024)::int as kb`.execute(db);
    return rows[0]?.kb ?? Number.NaN;
  } finally {
    await db.destroy();
  }
}

function kbBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    const size = entry.isFile()
      ? (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0)
      : 0;
    return sum + size / 2;
  }, 0);
}

/** The median of the slopes between all pairs (Theil and Sen), in MB by 1,000 documents: one look at a heap proves nothing. */
function slopeOf(looks: readonly Look[], name: string): number {
  const slopes = looks.flatMap((later, index) =>
    looks.slice(0, index).map((earlier) => {
      const grownMb = (later.mb.get(name) ?? Number.NaN) - (earlier.mb.get(name) ?? Number.NaN);
      return (grownMb / (later.documents - earlier.documents)) * 1_000;
    }),
  );
  return percentile(slopes, 0.5);
}
