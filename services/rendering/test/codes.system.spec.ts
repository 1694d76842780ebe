import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedRendererUrl } from '@pinkas/testkit';
import type { PdfService } from '../src/print/pdf-service.js';
import { sheetIn } from './gallery/cases.js';
import { openPdfService } from './pdf-service.js';

const run = promisify(execFile);

/** Prints the first code of a picture, whites it out, and looks for the next. */
const reader = `import { readFileSync } from 'node:fs';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
const { data, width, height } = PNG.sync.read(readFileSync(process.argv[2]));
const pixels = new Uint8ClampedArray(data);
for (let code = jsqr.default(pixels, width, height); code; code = jsqr.default(pixels, width, height)) {
  console.log(code.data);
  const corners = ['topLeftCorner', 'topRightCorner', 'bottomLeftCorner', 'bottomRightCorner'].map((name) => code.location[name]);
  const [left, right] = [Math.min, Math.max].map((end) => Math.round(end(...corners.map(({ x }) => x))));
  const [top, bottom] = [Math.min, Math.max].map((end) => Math.round(end(...corners.map(({ y }) => y))));
  for (let y = Math.max(0, top - 4); y < Math.min(height, bottom + 4); y += 1) {
    pixels.fill(255, 4 * (y * width + Math.max(0, left - 4)), 4 * (y * width + Math.min(width, right + 4)));
  }
}
`;

describe('the code of a document on paper', () => {
  let folder: string;
  let pdfs: PdfService;
  let isThere = false;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-codes-'));
    pdfs = await openPdfService(await sharedRendererUrl());
    await writeFile(join(folder, 'read.mjs'), reader);
    const options = ['--no-audit', '--no-fund', '--prefix', folder];
    isThere = await Promise.all([
      run('pdftoppm', ['-v']),
      run('npm', ['install', ...options, 'jsqr@1.4.0', 'pngjs@7.0.0'], { timeout: 240_000 }),
    ]).then(
      () => true,
      () => false,
    );
    if (!isThere) {
      process.stderr.write('codes on paper are not read: jsqr or pdftoppm is not there\n');
    }
  }, 300_000);
  afterAll(async () => {
    await pdfs?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('a reader finds the code of a document that asks for payment at each resolution', async () => {
    if (!isThere) {
      return;
    }
    const link = 'https://pay.example.com/invoice/1042?amount=1180';
    const payment_instructions = { bank: '12', branch: '601', account: '345678', link };
    const sheet = sheetIn('he', 'tax_invoice', { business: { payment_instructions } });
    const viewUrl = `https://pinkas.example.com/d/${sheet.document.public_id}`;
    const { pdf } = await pdfs.render(sheet);
    await writeFile(join(folder, 'document.pdf'), pdf);
    const found = await Promise.all(
      ['100', '150', '200', '300'].map(async (resolution) => {
        const picture = join(folder, resolution);
        await run('pdftoppm', [
          '-r',
          resolution,
          '-singlefile',
          '-png',
          join(folder, 'document.pdf'),
          picture,
        ]);
        const { stdout } = await run(process.execPath, [join(folder, 'read.mjs'), `${picture}.png`]);
        return [resolution, ...stdout.trim().split('\n').sort()];
      }),
    );
    expect(found).toEqual(['100', '150', '200', '300'].map((resolution) => [resolution, viewUrl]));
  });
});
