import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { type Issuer, newIssuer } from './callers.js';
import { fillBook, withDatabase } from './filled-book.js';
import { cpuSecondsOf, peakMbOf } from './process-table.js';
import { figure, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const program = fileURLToPath(new URL('../../../packages/cli/dist/bundle/main.js', import.meta.url));
const lookIntervalMs = 50;
const type = 'tax_invoice_receipt';
/** What the book has copies of: three lines, one with a SKU, and two payments. */
const body = {
  type,
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

/** What a command used. */
interface Used {
  s: number;
  cpuS: number;
  peakMb: number;
}

/** Time and memory of the operator's exports of a large book, each as a process of its own. */
export async function measureExporting(
  stack: BenchStack,
  progress: (text: string) => void,
  documents = 1_000_000,
): Promise<Row[]> {
  const issuer = await newIssuer(stack);
  progress(`writing ${documents} documents …`);
  await fillBook(stack, issuer, { body, types: [type], documents }, progress);
  await endSeries(stack, issuer, documents);
  const { id } = issuer.business;
  const range = ['--from', '2000-01-01', '--to', new Date().toISOString().slice(0, 10)];
  const out = join(stack.home, 'exported');
  await mkdir(out);
  const commands = [
    { name: 'nothing', args: ['uniform', '--business', id, '--year', '1999', '--out', join(out, 'nothing')] },
    { name: 'uniform', args: ['uniform', '--business', id, ...range, '--out', join(out, 'uniform')] },
    { name: 'check', args: ['check', join(out, 'uniform'), '--against', id] },
    ...['jsonl', 'csv'].map((format) => ({
      name: format,
      args: ['documents', '--business', id, ...range, '--format', format, '--out', join(out, format)],
    })),
  ];
  const rows: Row[] = [];
  for (const { name, args } of commands) {
    const { s, cpuS, peakMb } = await use(stack, args);
    progress(
      `export ${args[0]} (${name}): ${s.toFixed(0)} s, ${cpuS.toFixed(0)} s of processor time, ${peakMb.toFixed(0)} MB`,
    );
    rows.push(
      figure(
        `export_${name}_s`,
        s,
        `pinkas export ${args[0]}, ${name === 'nothing' ? 'no document' : `${documents} documents`}: seconds`,
      ),
      figure(`export_${name}_cpu_s`, cpuS, 'processor time of the command, seconds'),
      figure(`export_${name}_peak_mb`, peakMb, 'memory of the command at its peak (VmHWM), MB'),
    );
  }
  return rows;
}

/** The series ends behind the copies, which says to the command how many documents it will read. */
function endSeries(stack: BenchStack, issuer: Issuer, documents: number): Promise<void> {
  return withDatabase(stack, 'issuing', issuer, async (db) => {
    await sql`update series set next_number = ${sql.lit(documents + 2)} where type = ${type}`.execute(db);
  });
}

/** Runs `pinkas export …`. @throws where it does not end with 0. */
async function use(stack: BenchStack, args: readonly string[]): Promise<Used> {
  const begunMs = performance.now();
  const child = spawn(process.execPath, [program, 'export', ...args], {
    env: { PATH: process.env.PATH, NATS_URL: stack.file.nats_url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { pid = 0 } = child;
  const used: Used = { s: 0, cpuS: 0, peakMb: 0 };
  const timer = setInterval(() => {
    used.cpuS = Math.max(used.cpuS, cpuSecondsOf(pid));
    used.peakMb = Math.max(used.peakMb, peakMbOf(pid));
  }, lookIntervalMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  }).finally(() => clearInterval(timer));
  if (code !== 0) {
    throw new Error(`pinkas export ${args[0]} ended with ${code}`);
  }
  used.s = (performance.now() - begunMs) / 1_000;
  return used;
}
