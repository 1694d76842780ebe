import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as pass } from 'node:timers/promises';
import type { Business, CreateDocument } from '@pinkas/contracts';
import { GotenbergClient, loadTypeface, printablePage } from '@pinkas/rendering';
import { cpuSecondsDuring } from '../../harness/processes.js';
import { randomFrom } from '../../hostile/hostile-request.js';
import {
  add,
  Caller,
  callersOf,
  closedLoop,
  idealQueue,
  inTurns,
  invoice,
  nothing,
  openLoop,
  perSecond,
  quote,
  timed,
} from '../driver.js';
import { measuredSheet } from '../measured-invoice.js';
import { figure, latencies, median, percentile, progress, type Row } from '../report.js';
import type { StartSystem } from '../scenarios.js';

const warmUpMs = 8_000;
const singleSamples = 120;
/** As many series, each of a business of its own, issue at once, and as many renderings run at once. */
const parallelism = 8;
const seed = 20260615;

const threeLines = [
  { description: 'שירות לדוגמה', quantity: 2, unit_price: 100 },
  { description: 'מוצר לדוגמה', quantity: 1, unit_price: 49.9, sku: 'SKU-1' },
  { description: 'משלוח', quantity: 1, unit_price: 30 },
];

/** The rate of issuing against bare renderings of the same page, and what a request costs outside of rendering. */
export async function measureIssuing(start: StartSystem): Promise<Row[]> {
  const rounds = 4;
  const roundMs = 7_000;
  const stack = await start();
  const callers = await callersOf(stack, parallelism);
  const { business } = await stack.newIssuer();
  const body: CreateDocument = {
    type: 'tax_invoice',
    customer: { name: 'לקוח למדידה', tax_id: '777777723', city: 'ירושלים' },
    items: threeLines,
  };
  const printer = new GotenbergClient((await stack.file()).simulators.gotenberg, parallelism);
  const renderBare = bareRendering(printer, business);
  const issue = (lane: number) => callers(lane).issue(body);
  progress('warming up …');
  await closedLoop({ lanes: parallelism, forMs: warmUpMs }, renderBare);
  await closedLoop({ lanes: parallelism, forMs: warmUpMs }, issue);
  let cpuS = 0;
  const { bare, issued } = await inTurns(rounds, 'bare renderings and issues in turns', {
    bare: () => closedLoop({ lanes: parallelism, forMs: roundMs }, renderBare),
    issued: async () => {
      const load = () => closedLoop({ lanes: parallelism, forMs: roundMs }, issue);
      const { result, used } = await cpuSecondsDuring(stack, load);
      cpuS += [...used.values()].reduce((sum, s) => sum + s, 0);
      return result;
    },
  });
  printer.close();

  progress('single requests …');
  const caller = callers(0);
  const single: { id: string; ms: number; key: string }[] = [];
  for (let sample = 0; sample < singleSamples; sample += 1) {
    const key = randomUUID();
    let id = '';
    const ms = await timed(async () => {
      id = await caller.issue(body, key);
    });
    single.push({ id, ms, key });
  }
  const replayMs: number[] = [];
  const getMs: number[] = [];
  for (const { id, key } of single) {
    replayMs.push(await timed(() => caller.issue(body, key)));
    getMs.push(await timed(() => caller.call(200, `/documents/${id}`)));
  }
  const inside = timesInside(await stack.logOf('issuing'));
  const outsideMs = single.flatMap(({ id, ms }) => {
    const insideMs = inside.get(id);
    return insideMs === undefined ? [] : [ms - insideMs];
  });

  const atOnce = `${parallelism} at once`;
  const singleMs = single.map(({ ms }) => ms);
  return [
    figure('issue_docs_per_s', perSecond(issued), `documents a second, ${parallelism} series at once`),
    figure('bare_renders_per_s', perSecond(bare), `renderings of the same page a second, ${atOnce}`),
    figure('issue_to_bare_ratio', perSecond(issued) / perSecond(bare), 'the one by the other'),
    figure(
      'issue_docs_per_core_second',
      issued.done / cpuS,
      'documents for a second of processor time, everything included',
    ),
    ...latencies('issue_*_ms', issued.latenciesMs, `POST /v1/documents, ${atOnce}`),
    figure('issue_single_p50_ms', median(singleMs), 'POST /v1/documents, one at a time, median'),
    figure('outside_render_sign_ms', median(outsideMs), 'of it outside rendering and signing, median'),
    figure('replay_p50_ms', median(replayMs), 'the same POST again, median'),
    figure('get_p50_ms', median(getMs), 'GET /v1/documents/{id}, median'),
    figure('replay_to_get_ratio', median(replayMs) / median(getMs), 'the one by the other'),
  ];
}

/** Prints the page of the invoice, and nothing else. */
function bareRendering(printer: GotenbergClient, business: Business): () => Promise<unknown> {
  const typeface = loadTypeface();
  const sheet = measuredSheet(business, threeLines);
  return () => {
    const nonce = randomUUID();
    return printer.render(printablePage(sheet, nonce, typeface), nonce, performance.now() + 20_000);
  };
}

/** Milliseconds of rendering and signing by document, as issuing logged them. */
function timesInside(log: string): Map<string, number> {
  const lines = log.split('\n').filter((line) => line.includes('"msg":"document issued"'));
  if (lines.length === 0) {
    throw new Error('the log of issuing names no issued document');
  }
  return new Map(
    lines.map((line) => {
      const { document_id, render_ms, sign_ms } = JSON.parse(line);
      return [document_id, render_ms + sign_ms];
    }),
  );
}

/** Callers of one series against the same callers of several series, and the processor time of a document by process. */
export async function measureSeries(start: StartSystem): Promise<Row[]> {
  const callerCounts = [8, 64];
  const rounds = 4;
  const roundMs = 6_000;
  const stack = await start();
  const callers = await callersOf(stack, parallelism);
  const issueOne = () => callers(0).issue(invoice);
  const issueAll = (lane: number) => callers(lane).issue(invoice);
  progress('warming up …');
  await closedLoop({ lanes: parallelism, forMs: warmUpMs }, issueAll);

  const rows: Row[] = [];
  for (const lanes of callerCounts) {
    const cpuS = { one: new Map<string, number>(), all: new Map<string, number>() };
    const turn = async (name: keyof typeof cpuS, issue: typeof issueAll) => {
      const { result, used } = await cpuSecondsDuring(stack, () =>
        closedLoop({ lanes, forMs: roundMs, mayFail: true }, issue),
      );
      for (const [process, s] of used) {
        cpuS[name].set(process, (cpuS[name].get(process) ?? 0) + s);
      }
      return result;
    };
    const loads = await inTurns(rounds, `one series and ${parallelism} in turns, ${lanes} callers`, {
      one: () => turn('one', issueOne),
      all: () => turn('all', issueAll),
    });
    for (const [name, words] of [
      ['one', 'one_series'],
      ['all', `${parallelism}_series`],
    ] as const) {
      const load = loads[name];
      const suffix = `${words}_${lanes}`;
      rows.push(
        figure(`docs_per_s_${suffix}`, perSecond(load), `documents a second, ${lanes} callers`),
        figure(`refused_${suffix}`, load.refused, 'requests that were answered with an error'),
        ...latencies(`*_ms_${suffix}`, load.latenciesMs, 'POST /v1/documents'),
        ...[...cpuS[name]].map(([process, s]) =>
          figure(`cpu_ms_${suffix}_${process}`, (s * 1_000) / load.done, 'processor time of a document, ms'),
        ),
      );
    }
    const ratio = perSecond(loads.one) / perSecond(loads.all);
    rows.push(figure(`one_series_ratio_${lanes}`, ratio, 'the one by the other'));
  }

  progress('single requests …');
  const { latenciesMs } = await closedLoop({ forMs: 5_000 }, issueOne);
  const singleMs = median(latenciesMs.slice(-singleSamples));
  return [...rows, figure('single_p50_ms', singleMs, 'POST /v1/documents, one at a time, median')];
}

/**
 * How long a caller waits at 70 % of the highest rate, where arrivals follow a Poisson clock and not the answers: the 99th
 * percentile by the median.
 */
export async function measureOpenLoop(start: StartSystem): Promise<Row[]> {
  /** So many callers keep every page of the printer busy: their rate is the highest. */
  const lanes = 32;
  const share = 0.7;
  const rounds = 3;
  const highestMs = 8_000;
  const arrivalsMs = 20_000;
  const callers = await callersOf(await start(), parallelism);
  const random = randomFrom(seed);
  progress('warming up …');
  await closedLoop({ lanes, forMs: warmUpMs, mayFail: true }, (lane) => callers(lane).issue(invoice));
  const measured = [1, parallelism].map((series) => ({ series, arrived: nothing(), rates: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { series, arrived, rates } of measured) {
      const issue = (index: number) => callers(index % series).issue(invoice);
      const perS = share * perSecond(await closedLoop({ lanes, forMs: highestMs, mayFail: true }, issue));
      progress(`round ${round + 1} of ${rounds}, ${series} series: ${perS.toFixed(1)} arrivals a second …`);
      rates.push(perS);
      add(arrived, await openLoop({ perS, forMs: arrivalsMs, random }, issue));
    }
  }
  const p99Ratio = (latencies: number[]) => percentile(latencies, 0.99) / median(latencies);
  const ideal = p99Ratio(idealQueue(share, availableParallelism(), random));
  const rows = measured.flatMap(({ series, arrived: { latenciesMs, refused }, rates }) => {
    return [
      figure(
        `open_loop_per_s_${series}_series`,
        median(rates),
        'arrivals a second, 70 % of the highest rate',
      ),
      ...latencies(`open_loop_*_ms_${series}_series`, latenciesMs, 'POST /v1/documents from its arrival'),
      figure(
        `open_loop_p99_ratio_${series}_series`,
        p99Ratio(latenciesMs),
        'the 99th percentile by the median',
      ),
      figure(`open_loop_refused_${series}_series`, refused, 'requests that were answered with an error'),
    ];
  });
  return [
    ...rows,
    figure(
      'open_loop_ideal_p99_ratio',
      ideal,
      'the same of a queue whose work is of equal length and shared by no one',
    ),
  ];
}

/** How much slower one business is served while another calls far above its limits. */
export async function measureFairness(start: StartSystem): Promise<Row[]> {
  const turns = 4;
  const turnMs = 15_000;
  /** More than the limits of the loud business let through. */
  const loudLanes = 16;
  const pauseMs = 100;
  const stack = await start();
  const modest = (await callersOf(stack, 1))(0);
  const { business } = await stack.newIssuer();
  const { key } = await stack.pinkas<{ key: string }>('key', 'create', '--business', business.id);
  const loud = new Caller((await stack.file()).base_url, key);
  const issueModestly = () => closedLoop({ forMs: turnMs }, () => modest.issue(quote));
  /** One request of the loud business, refused or not. */
  const issueLoudly = async () => {
    await loud.issue(quote).catch(() => undefined);
    await pass(pauseMs);
  };
  const alone = nothing();
  const beside = nothing();
  await modest.issue(quote);
  progress('one business alone, and beside one that calls far above its limits …');
  for (let turn = 0; turn < turns; turn += 1) {
    add(alone, await issueModestly());
    const others = closedLoop({ lanes: loudLanes, forMs: turnMs }, issueLoudly);
    add(beside, await issueModestly());
    await others;
  }
  const aloneMs = percentile(alone.latenciesMs, 0.99);
  const ratio = percentile(beside.latenciesMs, 0.99) / aloneMs;
  return [
    figure('fairness_alone_p99_ms', aloneMs, 'issuing for one business alone, 99th percentile'),
    figure('fairness_p99_ratio', ratio, 'beside a business that calls far above its limits, against that'),
  ];
}

/** A system of a pair: the name of its figures, what it is, and its environment. */
interface Compared {
  readonly name: string;
  readonly what: string;
  readonly environment: Record<string, string>;
}

/** Documents a second of two systems, one by the other, by the same callers in turns. */
async function measurePair(start: StartSystem, one: Compared, other: Compared): Promise<Row[]> {
  const rounds = 4;
  const roundMs = 8_000;
  const callers = {
    one: await callersOf(await start(one.environment), parallelism),
    other: await callersOf(await start(other.environment), parallelism),
  };
  const issue = (system: keyof typeof callers, series: number, forMs: number) =>
    closedLoop({ lanes: parallelism, forMs, mayFail: true }, (lane) =>
      callers[system](lane % series).issue(invoice),
    );
  progress('warming up …');
  await issue('one', parallelism, warmUpMs);
  await issue('other', parallelism, warmUpMs);
  const rows: Row[] = [];
  for (const series of [1, parallelism]) {
    const loads = await inTurns(rounds, `${series} series: ${one.what} and ${other.what} in turns`, {
      one: () => issue('one', series, roundMs),
      other: () => issue('other', series, roundMs),
    });
    const ratio = perSecond(loads.one) / perSecond(loads.other);
    const refused = loads.one.refused + loads.other.refused;
    const suffix = `${series}_series`;
    rows.push(
      figure(
        `${one.name}_docs_per_s_${suffix}`,
        perSecond(loads.one),
        `documents a second with ${one.what}, ${parallelism} callers`,
      ),
      figure(`${other.name}_docs_per_s_${suffix}`, perSecond(loads.other), `the same with ${other.what}`),
      figure(`${one.name}_to_${other.name}_ratio_${suffix}`, ratio, 'the one by the other'),
      figure(`against_${other.name}_refused_${suffix}`, refused, 'requests that were answered with an error'),
    );
  }
  return rows;
}

/** The printer against the Gotenberg that `GOTENBERG_URL` names. */
export async function measureAgainstGotenberg(start: StartSystem): Promise<Row[]> {
  const { GOTENBERG_URL } = process.env;
  if (GOTENBERG_URL === undefined) {
    progress('GOTENBERG_URL names no Gotenberg: nothing to compare with');
    return [];
  }
  return measurePair(
    start,
    { name: 'printer', what: 'the printer', environment: {} },
    { name: 'gotenberg', what: 'that Gotenberg', environment: { GOTENBERG_URL } },
  );
}

/** PDFs in the object store that `ARTIFACT_STORE` names against PDFs in the database. */
export async function measureObjectStore(start: StartSystem): Promise<Row[]> {
  const { ARTIFACT_STORE, AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
  if (!ARTIFACT_STORE) {
    progress('ARTIFACT_STORE names no object store: nothing to compare with');
    return [];
  }
  return measurePair(
    start,
    {
      name: 'store',
      what: 'that object store',
      environment: { ARTIFACT_STORE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
    },
    { name: 'database', what: 'PDFs in the database', environment: { ARTIFACT_STORE: '' } },
  );
}
