import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Call, commands } from '@pinkas/cli';
import {
  type BookEntry,
  getBookEnd,
  listSeries,
  printReport,
  type RequestOf,
  readBook,
  recordExport,
  showBusiness,
} from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { exampleBusiness } from '@pinkas/testkit/examples';
import { runsFactor, seed } from './config.js';
import { drawnBook } from './drawn-book.js';
import { agorotOf, shekelsOf } from './expected-totals.js';
import { propertyTimeoutMs } from './property.js';

/** `PINKAS_RUNS=500` makes a book of about 100,000 documents. */
const requests = 200 * runsFactor;
const pageSize = 50;
const business = exampleBusiness({ tax_id: '777777723' });

/** Services that have a book, and print blank reports. */
function systemOf(book: readonly BookEntry[]): Call {
  const places = new Map(book.map(({ document }, index) => [document.id, index]));
  return (async (contract, request) => {
    switch (contract.subject) {
      case showBusiness.subject:
        return { business };
      case listSeries.subject:
        return { series: [] };
      case printReport.subject:
        return { pdf: '' };
      case getBookEnd.subject:
        return { position: book.length, next_issued_at: null };
      case recordExport.subject:
        return {};
      case readBook.subject: {
        const { after } = request as RequestOf<typeof readBook>;
        const first = after === null ? 0 : (places.get(after.id) ?? 0) + 1;
        const entries = book.slice(first, first + pageSize);
        const last = entries.at(-1)?.document;
        const hasMore = last !== undefined && first + pageSize < book.length;
        return {
          entries,
          next_after: hasMore ? { type: last.type, number: last.number, id: last.id } : null,
        };
      }
      default:
        throw new Error(`no reply to ${contract.subject}`);
    }
  }) as Call;
}

interface Exported {
  folder: string;
  types: { type: DocumentType; documents: number; total: number }[];
  left_out: { documents: number };
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

  /** Runs `pinkas export VERB`, and returns its JSON value. */
  const run = async (call: Call, verb: string, DIR: string, options: Record<string, string>) => {
    const command = commands.find((candidate) => candidate.noun === 'export' && candidate.verb === verb);
    const progress = { show: () => {}, print: () => {} };
    const callEach = () => Promise.reject(new Error('every process was called'));
    const output = await command?.run({ arguments: { DIR }, options }, call, progress, callEach);
    return output?.json;
  };

  it.each(['iso-8859-8', 'cp862'])(
    'the uniform structure of a book of the model is valid and as in the book, in %s',
    async (charset) => {
      const call = systemOf(book);
      const range = { from: '2000-01-01', to: '2099-12-31' };
      const options = { business: business.id, ...range, charset, out: join(home, charset) };
      const exported = (await run(call, 'uniform', '', options)) as Exported;
      const totals = new Map<DocumentType, { documents: number; total: bigint }>();
      for (const { type, totals: own } of book.map(({ document }) => document)) {
        const { documents, total } = totals.get(type) ?? { documents: 0, total: 0n };
        totals.set(type, { documents: documents + 1, total: total + agorotOf(own.total) });
      }
      expect(exported.left_out.documents).toBe(totals.get('quote')?.documents);
      totals.delete('quote');
      expect(new Map(exported.types.map(({ type, documents, total }) => [type, [documents, total]]))).toEqual(
        new Map([...totals].map(([type, { documents, total }]) => [type, [documents, shekelsOf(total)]])),
      );
      expect(totals.size).toBe(9);
      const checked = await run(call, 'check', exported.folder, { against: business.id });
      expect(checked).toMatchObject({ ok: true, compared: true, findings: [] });
    },
    propertyTimeoutMs,
  );
});
