import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GotenbergClient, loadTypeface, printablePage } from '@pinkas/rendering';
import { Caller, type Issuer, newIssuer } from './callers.js';
import { add, type Counted, inLanes, timed } from './lanes.js';
import { measuredInvoice } from './measured-invoice.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

/** As many series, each of a business of its own, issue at once, and as many renderings run at once. */
const parallelism = 8;
const rounds = 4;
const roundMs = 7_000;
const warmUpMs = 8_000;
const latencySamples = 120;

const items = [
  { description: 'שירות לדוגמה', quantity: 2, unit_price: 100 },
  { description: 'מוצר לדוגמה', quantity: 1, unit_price: 49.9, sku: 'SKU-1' },
  { description: 'משלוח', quantity: 1, unit_price: 30 },
];

/** The rate of issuing against bare renderings of the same page, and what a request costs outside of rendering. */
export async function measureIssuing(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const issuers: Issuer[] = [];
  for (let index = 0; index < parallelism; index += 1) {
    issuers.push(await newIssuer(stack));
  }
  const [first] = issuers as [Issuer, ...Issuer[]];
  const callers = issuers.map(({ key }) => new Caller(stack.file.base_url, key));
  const [caller] = callers as [Caller, ...Caller[]];

  const typeface = loadTypeface();
  const gotenberg = new GotenbergClient(stack.file.simulators.gotenberg, parallelism);
  const bareRender = async () => {
    const nonce = randomUUID();
    const page = printablePage(
      {
        document: measuredInvoice(first.business, items),
        business: first.business,
        allocationNumber: null,
        numberPending: false,
        cancelledAt: null,
        output: 'original',
        logo: null,
      },
      nonce,
      typeface,
    );
    await gotenberg.render(page, nonce, performance.now() + 20_000);
  };
  const issue = (lane: number) => post(callers[lane % callers.length] ?? caller, randomUUID());

  progress('warming up …');
  await inLanes(parallelism, warmUpMs, bareRender);
  await inLanes(parallelism, warmUpMs, issue);

  const bare: Counted = { done: 0, ms: 0, latenciesMs: [] };
  const issued: Counted = { done: 0, ms: 0, latenciesMs: [] };
  for (let round = 0; round < rounds; round += 1) {
    progress(
      `round ${round + 1} of ${rounds}: bare renderings and issues in turns, ${parallelism} at once …`,
    );
    // First one first, then the other: a machine that slows down or speeds up slows or speeds both.
    const turns = round % 2 === 0 ? (['bare', 'issue'] as const) : (['issue', 'bare'] as const);
    for (const turn of turns) {
      if (turn === 'bare') {
        add(bare, await inLanes(parallelism, roundMs, bareRender));
      } else {
        add(issued, await inLanes(parallelism, roundMs, issue));
      }
    }
  }

  progress('single requests …');
  const single: { id: string; ms: number; key: string }[] = [];
  for (let sample = 0; sample < latencySamples; sample += 1) {
    const key = randomUUID();
    const started = performance.now();
    const id = await post(caller, key);
    single.push({ id, key, ms: performance.now() - started });
  }
  const replayMs: number[] = [];
  const getMs: number[] = [];
  for (const { id, key } of single) {
    replayMs.push(await timed(() => post(caller, key)));
    getMs.push(await timed(() => caller.call(200, `/documents/${id}`)));
  }
  const inside = await timesInside(stack);
  const outside = single.flatMap(({ id, ms }) => {
    const times = inside.get(id);
    return times === undefined ? [] : [ms - times];
  });
  gotenberg.close();
  for (const one of callers) {
    one.close();
  }

  const issuePerS = issued.done / (issued.ms / 1_000);
  const barePerS = bare.done / (bare.ms / 1_000);
  return [
    figure(
      'issue_docs_per_s',
      issuePerS,
      `documents a second through POST /v1/documents, ${parallelism} series at once`,
    ),
    figure(
      'bare_renders_per_s',
      barePerS,
      `renderings of the same page a second, ${parallelism} at once, same renderer`,
    ),
    figure('issue_to_bare_ratio', issuePerS / barePerS, 'the one by the other'),
    figure(
      'issue_p50_ms',
      percentile(issued.latenciesMs, 0.5),
      `POST /v1/documents, median, ${parallelism} at once`,
    ),
    figure(
      'issue_p99_ms',
      percentile(issued.latenciesMs, 0.99),
      `POST /v1/documents, 99th percentile, ${parallelism} at once`,
    ),
    figure(
      'issue_single_p50_ms',
      percentile(
        single.map((item) => item.ms),
        0.5,
      ),
      'POST /v1/documents, median, one at a time',
    ),
    figure(
      'outside_render_sign_ms',
      percentile(outside, 0.5),
      'of a single request outside rendering and signing, median',
    ),
    figure('replay_p50_ms', percentile(replayMs, 0.5), 'the same POST again, median'),
    figure('get_p50_ms', percentile(getMs, 0.5), 'GET /v1/documents/{id}, median'),
    figure('replay_to_get_ratio', percentile(replayMs, 0.5) / percentile(getMs, 0.5), 'the one by the other'),
  ];
}

/** Issues the invoice of the measurement. @returns the document's id. */
async function post(caller: Caller, key: string): Promise<string> {
  const body = {
    type: 'tax_invoice',
    customer: { name: 'לקוח למדידה', tax_id: '777777723', city: 'ירושלים' },
    items,
  };
  const answer = await caller.call(201, '/documents', { body, headers: { 'idempotency-key': key } });
  return (JSON.parse(answer) as { id: string }).id;
}

/** Milliseconds of rendering and signing by document, as issuing logged them. */
async function timesInside(stack: BenchStack): Promise<Map<string, number>> {
  const log = stack.file.services.find((service) => service.name === 'issuing')?.log ?? '';
  const times = new Map<string, number>();
  for (const line of (await readFile(log, 'utf8')).split('\n')) {
    if (!line.includes('"msg":"document issued"')) {
      continue;
    }
    const { document_id, render_ms, sign_ms } = JSON.parse(line) as {
      document_id: string;
      render_ms: number;
      sign_ms: number;
    };
    times.set(document_id, render_ms + sign_ms);
  }
  if (times.size === 0) {
    throw new Error('the log of issuing names no issued document');
  }
  return times;
}
