import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BookEntry,
  type Call,
  compile,
  DocumentDetail,
  getArtifact,
  type RequestOf,
  readBook,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import { eventually } from '@pinkas/testkit';
import { openPromise } from 'yauzl';
import { csvRow } from '../src/documents/csv.js';
import { writeDocuments } from '../src/index.js';
import { zipFiles } from '../src/zip-files.js';
import { exampleBook } from './example-book.js';

const megabyte = 1024 * 1024;
const pdf = Buffer.alloc(megabyte, '%PDF-1.7 ').toString('base64');

/** Services with a book, ten documents at a time, whose PDFs have a megabyte. */
function systemOf(book: readonly BookEntry[], onPdf: () => void): Call {
  return (async (contract, request) => {
    if (contract.subject === getArtifact.subject) {
      onPdf();
      return { revision: 1, sha256: '', pdf, cancelled: false };
    }
    const { after } = request as RequestOf<typeof readBook>;
    const first = after ? after.number : 0;
    const entries = book.slice(first, first + 10);
    const last = entries.at(-1)?.document;
    const isEnd = first + 10 >= book.length;
    return {
      entries,
      next_after: isEnd || !last ? null : { type: last.type, number: last.number, id: last.id },
    };
  }) as Call;
}

const openFiles = async () => (await readdir('/proc/self/fd')).length;

describe('writeDocuments', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-documents-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const urls = { viewUrlBase: 'https://api.example.com/d', pdfUrlBase: 'https://api.example.com/pdf' };
  const range = {
    businessId: '00000000-0000-4000-8000-000000000001',
    from: '2026-01-01',
    to: '2026-12-31',
    urls,
  };
  it('a zip of many PDFs keeps few of them in memory', async () => {
    const documents = 250;
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const call = systemOf(exampleBook(documents), () => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    });
    const request = { ...range, format: 'pdf-zip', folder, partDocuments: documents } as const;
    const written = await writeDocuments(call, request, () => {});
    expect(written.files).toEqual(['documents-00001.zip']);
    const zip = await openPromise(join(folder, 'documents-00001.zip'), { validateEntrySizes: true });
    let entries = 0;
    for await (const _entry of zip.eachEntry()) {
      entries += 1;
    }
    expect(entries).toBe(documents + 1);
    expect(most).toBeLessThan((documents / 2) * megabyte);
  });

  it('a line of JSON is a document of the HTTP API by its schema, with further members behind it', async () => {
    const [entry] = exampleBook(1);
    if (!entry) {
      throw new Error('there is no document');
    }
    const call = systemOf([entry], () => {});
    await writeDocuments(call, { ...range, format: 'jsonl', folder }, () => {});
    const line = await readFile(join(folder, 'documents-00001.jsonl'), 'utf8');
    const { pdf_sha256, hash, series_position, ...document } = JSON.parse(line);
    expect(compile(DocumentDetail)(document)).toMatchObject({ ok: true });
    const further = { pdf_sha256, hash, series_position };
    expect(line).toBe(`${JSON.stringify({ ...document, ...further })}\n`);
    expect(further).toEqual({
      pdf_sha256: 'ab'.repeat(32),
      hash: 'cd'.repeat(32),
      series_position: 1,
    });
  });

  it.each(['jsonl', 'csv', 'pdf-zip'] as const)(
    'an export as %s that fails leaves no file open',
    async (format) => {
      const call = systemOf(exampleBook(30), () => {});
      const failing = (async (contract, request) => {
        if (
          contract.subject === readBook.subject &&
          (request as RequestOf<typeof readBook>).after?.number === 20
        ) {
          throw new ApiError('validation_error');
        }
        return call(contract, request);
      }) as Call;
      const before = await openFiles();
      await expect(writeDocuments(failing, { ...range, format, folder }, () => {})).rejects.toThrow(ApiError);
      expect(await openFiles()).toBe(before);
    },
  );

  it('csvRow quotes what a reader would take for the end of a cell', () => {
    expect(csvRow(['a,b', 'say "x"', 'two\nlines', null, 7])).toBe('"a,b","say ""x""","two\nlines",,7\r\n');
  });
});

describe('zipFiles', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-zip-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('a zip of a file that is not there fails', () =>
    expect(
      zipFiles(join(folder, 'a.zip'), [{ path: join(folder, 'missing'), name: 'missing' }], new Date()),
    ).rejects.toThrow('ENOENT'));

  it('a zip that is ended by its signal fails, and leaves no file open', async () => {
    await writeFile(join(folder, 'large'), randomBytes(64 * megabyte));
    const before = await openFiles();
    const ending = new AbortController();
    const zipped = zipFiles(
      join(folder, 'a.zip'),
      [{ path: join(folder, 'large'), name: 'large' }],
      new Date(),
      ending.signal,
    );
    await eventually('the zip grows', async () => (await stat(join(folder, 'a.zip'))).size > 0);
    ending.abort(new Error('the process stops'));
    await expect(zipped).rejects.toThrow('abort');
    await eventually('the files are closed', async () => (await openFiles()) === before);
  });
});

describe('csvRow', () => {
  const texts = ['=1+1', '+972-4-5550101', '-5', '@SUM(A1)', '\t=1', "'=1", 'a=1', '', '=1,"2"'];

  it('csvRow puts an apostrophe before a text that a spreadsheet takes for a formula, and leaves numbers', () => {
    expect(csvRow([...texts, -5, { amount: '-5.00' }, null, true])).toBe(
      `'=1+1,'+972-4-5550101,'-5,'@SUM(A1),'\t=1,'=1,a=1,,"'=1,""2""",-5,-5.00,,true\r\n`,
    );
    expect(csvRow(['\r=1'])).toBe(`"'\r=1"\r\n`);
    expect(csvRow(['\n=1', '＝1', '＋1', '－1', '＠a'])).toBe(`"'\n=1",'＝1,'＋1,'－1,'＠a\r\n`);
    expect(csvRow([' =1', '\u200f=1', '\ufeff@a', 'a=1'])).toBe(`' =1,'\u200f=1,'\ufeff@a,a=1\r\n`);
  });

  it('csvRow leaves every text as it is when raw texts are requested', () => {
    expect(csvRow(texts, { raw: true })).toBe(`=1+1,+972-4-5550101,-5,@SUM(A1),\t=1,'=1,a=1,,"=1,""2"""\r\n`);
  });
});
