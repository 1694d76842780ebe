import { type Caller, callersOfSeries, issueInvoice } from './callers.js';
import { add, type Counted, inLanes } from './lanes.js';
import { figure, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const callerCount = 8;
const seriesCounts = [1, 8] as const;
const rounds = 4;
const roundMs = 8_000;
const warmUpMs = 6_000;

/** What was issued in some rounds; a machine that others use as well may be too slow for some. */
interface Measured extends Counted {
  refused: number;
}

/** Documents a second with the printer against the same with a Gotenberg, by the same callers in turns. */
export async function measureAgainstGotenberg(
  startSystem: (replicas: number, environment?: NodeJS.ProcessEnv) => Promise<BenchStack>,
  progress: (text: string) => void,
  gotenbergUrl: string | undefined,
): Promise<Row[]> {
  if (gotenbergUrl === undefined) {
    progress('GOTENBERG_URL names no Gotenberg: nothing to compare with');
    return [];
  }
  const systems = {
    printer: await callersOfSeries(await startSystem(1), Math.max(...seriesCounts)),
    gotenberg: await callersOfSeries(
      await startSystem(1, { GOTENBERG_URL: gotenbergUrl }),
      Math.max(...seriesCounts),
    ),
  };
  const names = ['printer', 'gotenberg'] as const;
  progress('warming up …');
  for (const name of names) {
    await inLanes(callerCount, warmUpMs, (lane) => attempt(nothing(), systems[name], lane));
  }
  const rows: Row[] = [];
  for (const count of seriesCounts) {
    const measured = { printer: nothing(), gotenberg: nothing() };
    for (let round = 0; round < rounds; round += 1) {
      progress(`round ${round + 1} of ${rounds}, ${count} series: printer and Gotenberg in turns …`);
      // First one first, then the other: a machine that slows down or speeds up slows or speeds both.
      for (const name of round % 2 === 0 ? names : [...names].reverse()) {
        const used = systems[name].slice(0, count);
        add(
          measured[name],
          await inLanes(callerCount, roundMs, (lane) => attempt(measured[name], used, lane)),
        );
      }
    }
    const [ofPrinter, ofGotenberg] = names.map((name) => perSecond(measured[name])) as [number, number];
    const suffix = `${count}_series`;
    rows.push(
      figure(`printer_docs_per_s_${suffix}`, ofPrinter, `documents a second, ${callerCount} callers`),
      figure(`gotenberg_docs_per_s_${suffix}`, ofGotenberg, 'the same with the Gotenberg at GOTENBERG_URL'),
      figure(`printer_to_gotenberg_ratio_${suffix}`, ofPrinter / ofGotenberg, 'the one by the other'),
      figure(
        `against_gotenberg_refused_${suffix}`,
        measured.printer.refused + measured.gotenberg.refused,
        'requests that were answered with an error',
      ),
    );
  }
  for (const caller of names.flatMap((name) => systems[name])) {
    caller.close();
  }
  return rows;
}

const nothing = (): Measured => ({ done: 0, ms: 0, latenciesMs: [], refused: 0 });
const perSecond = ({ done, refused, ms }: Measured) => (done - refused) / (ms / 1_000);

async function attempt(sum: Measured, callers: readonly Caller[], lane: number): Promise<void> {
  const caller = callers[lane % callers.length] as Caller;
  await issueInvoice(caller).catch(() => {
    sum.refused += 1;
  });
}
