import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fields, loadTypeface, PdfService, type RenderedArtifact, Signers } from '@pinkas/rendering';
import { createLogger, Metrics, systemClock } from '@pinkas/service-kit';
import { readConfig } from '@pinkas/service-kit/config';
import { createSelfSignedP12 } from '@pinkas/simulators';
import { newIssuer } from './callers.js';
import { type Counted, inLanes } from './lanes.js';
import { measuredInvoice } from './measured-invoice.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

/** How many documents of so many lines are printed, one at a time. */
const samples: ReadonlyMap<number, number> = new Map([
  [1, 60],
  [10, 60],
  [100, 25],
]);
const laneCount = 8;
const warmUpMs = 5_000;
const laneMs = 7_000;
const bytesPerKb = 1_024;

/** What printing and signing cost by the length of the document, and how large its PDF is. */
export async function measureDocuments(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const { business } = await newIssuer(stack);
  const pdfs = await openPdfService(stack);
  const print = (lines: number) =>
    pdfs.render({
      document: measuredInvoice(business, linesOf(lines)),
      business,
      allocationNumber: null,
      numberPending: false,
      cancelledAt: null,
      output: 'original',
      logo: null,
    });

  progress('printing documents …');
  await inLanes(laneCount, warmUpMs, () => print(10));
  const rows: Row[] = [];
  for (const [lines, count] of samples) {
    const printed: RenderedArtifact[] = [];
    for (let sample = 0; sample < count; sample += 1) {
      printed.push(await print(lines));
    }
    const renderMs = printed.map((item) => item.renderMs);
    const signMs = printed.map((item) => item.signMs);
    const kb = (printed[0]?.pdf.length ?? Number.NaN) / bytesPerKb;
    const words = `a document of ${lines === 1 ? 'one line' : `${lines} lines`}`;
    // The usual length has the plain name.
    const suffix = lines === 10 ? '' : `_${lines}`;
    rows.push(
      figure(`render_p50_ms_${lines}`, percentile(renderMs, 0.5), `printing ${words}: median, one at a time`),
      figure(`render_p99_ms_${lines}`, percentile(renderMs, 0.99), '99th percentile'),
      figure(`sign_p50_ms${suffix}`, percentile(signMs, 0.5), 'writing and signing it, median'),
      figure(`sign_p99_ms${suffix}`, percentile(signMs, 0.99), '99th percentile'),
      figure(`pdf_kb_${lines}`, kb, 'its signed PDF, in KB'),
    );
  }
  const counted: Counted = await inLanes(laneCount, laneMs, () => print(10));
  await pdfs.stop();
  return [
    ...rows,
    figure(
      'renders_per_s_10',
      counted.done / (counted.ms / 1_000),
      `documents of 10 lines printed and signed a second, ${laneCount} at once`,
    ),
  ];
}

/** The PdfService of the rendering service, in this process, over the renderer of the measured system. */
async function openPdfService(stack: BenchStack): Promise<PdfService> {
  const password = randomUUID();
  const file = join(stack.home, 'measured.p12');
  await writeFile(file, await createSelfSignedP12({ commonName: 'Example Operator', password, years: 1 }));
  const config = readConfig(fields, {
    NATS_URL: stack.file.nats_url,
    DATABASE_URL: stack.file.postgres.rendering,
    HEALTH_PORT: '0',
    GOTENBERG_URL: stack.file.simulators.gotenberg,
    SIGNING_P12_FILE: file,
    SIGNING_P12_PASSWORD: password,
    VIEW_URL_BASE: 'https://pinkas.example.com/d',
    RENDER_TIMEOUT_MS: '20000',
  });
  const logger = createLogger('bench', 'silent');
  const metrics = new Metrics();
  const signers = await Signers.open(config, { clock: systemClock, logger, metrics });
  return new PdfService(config, loadTypeface(), signers, systemClock, logger, metrics);
}

const linesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    description: `שירות לדוגמה מספר ${index + 1}`,
    quantity: 2,
    unit_price: 100,
    sku: `SKU-${index + 1}`,
  }));
