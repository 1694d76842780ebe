import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateDocument } from '@pinkas/contracts';
import { fillBook, fillCards, typesOfCopies } from '../book-of-copies.js';
import { Caller, closedLoop, perSecond, quote, timed } from '../driver.js';
import { startFloor } from '../floor/processes.js';
import { runPinkas } from '../pinkas-process.js';
import { figure, latencies, median, progress, type Row } from '../report.js';
import type { ScenarioOptions, StartSystem } from '../scenarios.js';

/** What reading costs beside the floor: `select 1` through the same gateway and one hop over NATS. */
export async function measureReading(
  start: StartSystem,
  { documents = 200_000, customers: cards = documents }: ScenarioOptions,
): Promise<Row[]> {
  const warmUpMs = 1_500;
  const samples = 400;
  const lanes = 8;
  const laneMs = 3_000;
  const stack = await start();
  progress(`writing ${documents} documents and ${cards} customer cards …`);
  const { issuer, documentId } = await fillBook(stack, documents);
  await fillCards(stack, issuer, cards);
  const floor = await startFloor(stack);
  try {
    const caller = new Caller(floor.baseUrl, issuer.key);
    const targets = targetsOf(caller, { documentId, documents, cards });
    for (const { call } of targets) {
      await closedLoop({ lanes, forMs: warmUpMs }, call);
    }
    progress(`${samples} single requests of each kind, in turns …`);
    for (let sample = 0; sample < samples; sample += 1) {
      for (const { call, singleMs } of targets) {
        singleMs.push(await timed(call));
      }
    }
    progress(`${lanes} requests at once, one kind after the other …`);
    const floorMs = median(targets[0]?.singleMs ?? []);
    const rows: Row[] = [];
    for (const { name, meaning, call, singleMs } of targets) {
      const rate = perSecond(await closedLoop({ lanes, forMs: laneMs }, call));
      rows.push(
        ...latencies(`${name}_*_ms`, singleMs, `${meaning}: one at a time`),
        figure(`${name}_per_s`, rate, `a second, ${lanes} at once`),
      );
      if (name !== 'floor') {
        const ratio = median(singleMs) / floorMs;
        rows.push(figure(`${name}_to_floor_ratio`, ratio, 'its median by that of the floor'));
      }
    }
    return rows;
  } finally {
    await floor.stop();
  }
}

/** One kind of request, under the name that its figures have. */
interface Target {
  name: string;
  meaning: string;
  call(): Promise<unknown>;
  singleMs: number[];
}

function targetsOf(
  caller: Caller,
  { documentId, documents, cards }: { documentId: string; documents: number; cards: number },
): Target[] {
  const limit = 50;
  const get = (name: string, path: string | (() => string), meaning: string): Target => ({
    name,
    meaning,
    call: () => caller.call(200, typeof path === 'string' ? path : path()),
    singleMs: [],
  });
  let searched = 0;
  /** Another text each time: one card, ten, or a hundred of them have it. */
  const search = () => {
    searched += 1;
    const digits = String((searched * 7919) % cards).padStart(6, '0');
    return `/customers?q=${encodeURIComponent(`למדידה ${digits.slice(0, 4 + (searched % 3))}`)}`;
  };
  const page = `GET /v1/documents, a page of ${limit} among ${documents}`;
  const ofOneSeries = `the same of one of its ${typesOfCopies.length} series`;
  return [
    get('floor', '/floor', '`select 1` through the gateway and NATS'),
    get('me', '/me', 'GET /v1/me'),
    get('get', `/documents/${documentId}`, 'GET /v1/documents/{id}'),
    get('list', `/documents?limit=${limit}`, page),
    get('list_one_series', `/documents?type=order&limit=${limit}`, ofOneSeries),
    get('customers', search, `GET /v1/customers, q contains, among ${cards}`),
    {
      name: 'refused',
      meaning: 'POST /v1/documents that a rule refuses',
      // A receipt without a payment.
      call: () => caller.post(422, { ...quote, type: 'receipt' }),
      singleMs: [],
    },
  ];
}

/** Three lines, one with a SKU, and two payments. */
const paidInvoice: CreateDocument = {
  type: 'tax_invoice_receipt',
  customer: { name: 'לקוח למדידה', tax_id: '777777723', city: 'ירושלים' },
  items: [
    { description: 'שירות לדוגמה', quantity: 2, unit_price: 100 },
    { description: 'מוצר לדוגמה', quantity: 1, unit_price: 50, sku: 'DEMO-1' },
    { description: 'עוד שירות לדוגמה', quantity: 1.5, unit_price: 100 },
  ],
  payments: [
    { method: 'cash', amount: 172 },
    { method: 'credit_card', amount: 300, card_last_digits: '1234', card_type: 'visa' },
  ],
};

/** Time and memory of the operator's exports of a large book, each as a process of its own. */
export async function measureExporting(
  start: StartSystem,
  { documents = 200_000 }: ScenarioOptions,
): Promise<Row[]> {
  const stack = await start();
  progress(`writing ${documents} documents …`);
  const { issuer } = await fillBook(stack, documents, { body: paidInvoice, types: [paidInvoice.type] });
  const { id } = issuer.business;
  const natsUrl = (await stack.file()).nats_url;
  const range = ['--from', '2000-01-01', '--to', new Date().toISOString().slice(0, 10)];
  const folder = join(stack.home, 'exported');
  await mkdir(folder);
  const out = (name: string) => join(folder, name);
  const documentsAs = (format: string) => [
    ...['documents', '--business', id, ...range],
    ...['--format', format, '--out', out(format)],
  ];
  const commands = {
    nothing: ['uniform', '--business', id, '--year', '1999', '--out', out('nothing')],
    uniform: ['uniform', '--business', id, ...range, '--out', out('uniform')],
    check: ['check', out('uniform'), '--against', id],
    jsonl: documentsAs('jsonl'),
    csv: documentsAs('csv'),
  };
  const rows: Row[] = [];
  for (const [name, args] of Object.entries(commands)) {
    const { s, cpuS, peakMb } = await runPinkas(natsUrl, ['export', ...args]);
    const count = name === 'nothing' ? 'no document' : `${documents} documents`;
    progress(`export ${args[0]} (${name}): ${s.toFixed(0)} s, ${cpuS.toFixed(0)} s of processor time`);
    rows.push(
      figure(`export_${name}_s`, s, `pinkas export ${args[0]}, ${count}: seconds`),
      figure(`export_${name}_cpu_s`, cpuS, 'processor time of the command, seconds'),
      figure(`export_${name}_peak_mb`, peakMb, 'memory of the command at its peak (VmHWM), MB'),
    );
  }
  return rows;
}
