import { callersOfSeries, issueInvoice } from './callers.js';
import { add, type Counted, inLanes } from './lanes.js';
import { cpuSecondsOf } from './process-table.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

/** Each series belongs to a business of its own. */
const seriesCount = 8;
const callerCounts = [8, 64] as const;
const rounds = 4;
const roundMs = 6_000;
const warmUpMs = 8_000;
const singleSamples = 120;

/** What was issued in some rounds, and the processor time of each process meanwhile. */
interface Measured {
  issued: Counted;
  /** A machine that others use as well may be too slow for some. */
  refused: number;
  cpuS: Map<string, number>;
}

/** Callers of one series against the same callers of several series, and the processor time of a document by process. */
export async function measureSeries(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const callers = await callersOfSeries(stack, seriesCount);
  const [first] = callers;
  const issueOne = () => issueInvoice(first);
  const issueAll = (lane: number) => issueInvoice(callers[lane % seriesCount] ?? first);
  progress('warming up …');
  await inLanes(seriesCount, warmUpMs, issueAll);

  const rows: Row[] = [];
  for (const callerCount of callerCounts) {
    const one = nothing();
    const all = nothing();
    for (let round = 0; round < rounds; round += 1) {
      progress(
        `round ${round + 1} of ${rounds}: one series and ${seriesCount} in turns, ${callerCount} callers …`,
      );
      // First one first, then the other: a machine that slows down or speeds up slows or speeds both.
      const turns = [
        () => measure(stack, one, callerCount, issueOne),
        () => measure(stack, all, callerCount, issueAll),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.reverse()) {
        await turn();
      }
    }
    rows.push(
      ...figuresOf('one_series', callerCount, one),
      ...figuresOf(`${seriesCount}_series`, callerCount, all),
    );
    rows.push(
      figure(`one_series_ratio_${callerCount}`, perSecond(one) / perSecond(all), 'the one by the other'),
    );
  }

  progress('single requests …');
  const singleMs = (await inLanes(1, 5_000, issueOne)).latenciesMs.slice(-singleSamples);
  rows.push(figure('single_p50_ms', percentile(singleMs, 0.5), 'POST /v1/documents, median, one at a time'));
  for (const caller of callers) {
    caller.close();
  }
  return rows;
}

const nothing = (): Measured => ({
  issued: { done: 0, ms: 0, latenciesMs: [] },
  refused: 0,
  cpuS: new Map(),
});
const documentsOf = ({ issued, refused }: Measured) => issued.done - refused;
const perSecond = (measured: Measured) => documentsOf(measured) / (measured.issued.ms / 1_000);

async function measure(
  { file }: BenchStack,
  sum: Measured,
  callerCount: number,
  work: (lane: number) => Promise<unknown>,
): Promise<void> {
  const before = file.services.map(({ pid }) => cpuSecondsOf(pid));
  const workOrCount = (lane: number) =>
    work(lane).catch(() => {
      sum.refused += 1;
    });
  add(sum.issued, await inLanes(callerCount, roundMs, workOrCount));
  for (const [index, { name, pid }] of file.services.entries()) {
    sum.cpuS.set(name, (sum.cpuS.get(name) ?? 0) + cpuSecondsOf(pid) - (before[index] ?? 0));
  }
}

function figuresOf(name: string, callerCount: number, measured: Measured): Row[] {
  const { issued, refused, cpuS } = measured;
  const suffix = `${name}_${callerCount}`;
  return [
    figure(`docs_per_s_${suffix}`, perSecond(measured), `documents a second, ${callerCount} callers`),
    figure(`refused_${suffix}`, refused, 'requests that were answered with an error'),
    figure(`p50_ms_${suffix}`, percentile(issued.latenciesMs, 0.5), 'POST /v1/documents, median'),
    figure(`p99_ms_${suffix}`, percentile(issued.latenciesMs, 0.99), 'POST /v1/documents, 99th percentile'),
    ...[...cpuS].map(([process, s]) =>
      figure(
        `cpu_ms_${suffix}_${process}`,
        (s * 1_000) / documentsOf(measured),
        'processor time of a document, ms',
      ),
    ),
  ];
}
