import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BookEntry } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { exampleBusiness } from '@pinkas/testkit/examples';
import { readByPaper, wholeOf } from '../uniform/paper-reader.js';
import { runsFactor, seed } from './config.js';
import { drawnBook } from './drawn-book.js';
import { agorotOf, shekelsOf } from './expected-totals.js';
import { lackingOfChecks, runExport, systemOf } from './exported-book.js';
import { propertyTimeoutMs } from './property.js';

/** `PINKAS_RUNS=500` makes a book of about 100,000 documents. */
const requests = 200 * runsFactor;
const business = exampleBusiness({ tax_id: '777777723' });

interface Exported {
  folder: string;
  types: { type: DocumentType; documents: number; total: number }[];
  left_out: { documents: number };
}
interface Checked {
  compared: boolean;
  findings: { field: number | null; reason: string }[];
}

describe('a book of the model', () => {
  let home: string;
  let book: BookEntry[];
  beforeAll(async () => {
    process.stderr.write(`a book of the model: PINKAS_SEED=${seed}\n`);
    book = drawnBook(business, requests, seed);
    home = await mkdtemp(join(tmpdir(), 'pinkas-drawn-book-'));
  }, propertyTimeoutMs);
  afterAll(() => rm(home, { recursive: true, force: true }));

  const exported = (charset: string): Promise<Exported> => {
    const range = { from: '2000-01-01', to: '2099-12-31' };
    const options = { business: business.id, ...range, charset, out: join(home, charset) };
    return runExport(systemOf(business, book), 'uniform', '', options) as Promise<Exported>;
  };

  it.each(['iso-8859-8', 'cp862'])(
    'the uniform structure of a book of the model is valid by the instructions alone, by the check, and as in the book, in %s',
    async (charset) => {
      const { folder, types, left_out } = await exported(charset);
      const totals = new Map<DocumentType, { documents: number; total: bigint }>();
      for (const { type, totals: own } of book.map(({ document }) => document)) {
        const { documents, total } = totals.get(type) ?? { documents: 0, total: 0n };
        totals.set(type, { documents: documents + 1, total: total + agorotOf(own.total) });
      }
      expect(left_out.documents).toBe(totals.get('quote')?.documents);
      totals.delete('quote');
      expect(new Map(types.map(({ type, documents, total }) => [type, [documents, total]]))).toEqual(
        new Map([...totals].map(([type, { documents, total }]) => [type, [documents, shekelsOf(total)]])),
      );
      expect(totals.size).toBe(9);
      // What the book lacks of its checks is mandatory: nothing else is found.
      const lacking = lackingOfChecks(book);
      const checked = (await runExport(systemOf(business, book), 'check', folder, {
        against: business.id,
      })) as Checked;
      expect(checked.compared).toBe(true);
      expect(checked.findings.map(({ field, reason }) => `${field} ${reason}`)).toEqual(
        lacking.map((field) => `${field} is zero, and mandatory for a check`),
      );
      const read = await readByPaper(folder);
      expect(read.findings.map((finding) => finding.replace(/^.*(13\d\d) and means 2$/, '$1'))).toEqual(
        lacking.map(String),
      );
      const listed = [...totals.values()].reduce((sum, { total }) => sum + total, 0n);
      expect(read.documents.reduce((sum, { header }) => sum + wholeOf(header, 1223), 0n)).toBe(listed);
    },
    propertyTimeoutMs,
  );
});
