import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BookEntry, getArtifact, toDocumentDetail } from '@pinkas/contracts';
import { documentTypes } from '@pinkas/domain';
import { sha256Of } from '@pinkas/exports/book';
import { exampleEntry } from '@pinkas/exports/example-book';
import { ApiError } from '@pinkas/service-kit/client';
import fc from 'fast-check';
import { openPromise } from 'yauzl';
import type { Call } from '../src/builder/command.js';
import { bookOf, business, type Draft, draft, runExport, systemOf, urls } from './exported-book.js';

describe('pinkas export documents', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'pinkas-export-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  let book: BookEntry[];
  let call: Call;
  beforeAll(() => {
    const [sample] = fc.sample(draft, { seed: 7, numRuns: 1 }) as [Draft];
    book = bookOf(documentTypes.map((type) => ({ ...sample, type })));
    call = systemOf(book);
  });

  it('documents are exported as JSON lines, CSV and PDFs, with their sums', async () => {
    const options = { business: business.id, from: '2026-01-01', to: '2026-12-31' };
    const out = (format: string) => join(home, `documents-${format}`);
    for (const format of ['jsonl', 'csv', 'pdf-zip']) {
      const { json } = await runExport(call, 'documents', { ...options, format, out: out(format) });
      expect(json).toMatchObject({ documents: book.length, resumed_after: 0, missing_pdfs: [] });
      const sums = await readFile(join(out(format), 'SHA256SUMS'), 'utf8');
      for (const line of sums.trim().split('\n')) {
        const [sum, name = ''] = line.split('  ');
        expect(await sha256Of(join(out(format), name))).toBe(sum);
      }
    }
    const lines = (await readFile(join(out('jsonl'), 'documents-00001.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      book.map((entry) => ({
        ...toDocumentDetail(entry, urls),
        pdf_sha256: entry.artifact_sha256,
        hash: entry.hash,
        series_position: entry.series_position,
      })),
    );
    const csv = await readFile(join(out('csv'), 'items-00001.csv'), 'utf8');
    const items = book.flatMap(({ document }) => document.items);
    expect(csv.trimEnd().split('\r\n')).toHaveLength(items.length + 1);
    expect(csv).toMatch(
      /^\ufeffdocument_id,type,number,line,sku,description,quantity,unit_price,line_total\r\n/,
    );
    const zip = await openPromise(join(out('pdf-zip'), 'documents-00001.zip'));
    const names: string[] = [];
    for await (const { fileName } of zip.eachEntry()) {
      names.push(fileName);
    }
    expect(names).toEqual([
      ...book.map(({ document: { type, number } }) => `${type}-${number}.pdf`),
      'SHA256SUMS',
    ]);
  });

  it('an interrupted export continues after its last part, and is the same as one in one go', async () => {
    const many = Array.from({ length: 1_203 }, (_, index) => exampleEntry({ number: index + 1 }));
    const whole = systemOf(many, 100);
    const options = { business: business.id, from: '2026-01-01', to: '2026-12-31', format: 'pdf-zip' };
    let reads = 0;
    const failing = (async (contract, request) => {
      reads += contract.subject === getArtifact.subject ? 1 : 0;
      if (reads > 700) {
        throw new ApiError('engine_error');
      }
      return whole(contract, request);
    }) as Call;
    const out = join(home, 'interrupted');
    await expect(runExport(failing, 'documents', { ...options, out })).rejects.toThrow(ApiError);
    const begun = JSON.parse(await readFile(join(out, 'export.json'), 'utf8')) as { started_at: string };
    const { json, text } = await runExport(whole, 'documents', { ...options, out });
    expect(json).toMatchObject({ documents: 1_203, resumed_after: 500, started_at: begun.started_at });
    expect(text).toContain(`${begun.started_at}: documents issued since then may be missing`);
    const once = join(home, 'once');
    await runExport(whole, 'documents', { ...options, out: once });
    expect(await readFile(join(out, 'SHA256SUMS'), 'utf8')).toBe(
      await readFile(join(once, 'SHA256SUMS'), 'utf8'),
    );
    await expect(runExport(whole, 'documents', { ...options, to: '2026-12-30', out })).rejects.toThrow(
      'has an export with another to',
    );
    await expect(runExport(whole, 'documents', { ...options, out })).rejects.toThrow(
      'has a complete export of',
    );
  });
});
