import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { commands } from '@pinkas/cli';
import { toDocumentDetail } from '@pinkas/contracts';
import { ApiError, forTenant } from '@pinkas/service-kit';
import { eventually, scrape } from '@pinkas/testkit';
import {
  type Claim,
  type ClaimedExport,
  claimDue,
  finish,
} from '../../src/files/export/export.repository.js';
import { insertChunk } from '../../src/files/export/export-chunk.repository.js';
import { gib } from '../../src/files/export/export-policy.js';
import { listExports, readExportFile } from '../../src/files/export/exports.js';
import { latestVatDetail } from '../../src/reports/vat-detail.repository.js';
import { type ExportsUnderTest, pdfOf, startExports } from '../exports.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe('exports of the console', () => {
  let exports: ExportsUnderTest;
  beforeAll(async () => {
    exports = await startExports();
  });
  afterEach(() => exports.settle());
  afterAll(() => exports?.stop());

  const unzip = (bytes: Buffer) => exports.unzip(bytes);
  const chunksOf = (id: string) => exports.chunksOf(id);
  const holdBook = () => exports.holdBook();
  const running = (id: string) => exports.running(id);

  it.each(['iso-8859-8', 'cp862'] as const)(
    'an export in the uniform structure is a zip that the check finds valid and as in the book, in %s',
    async (charset) => {
      const id = await exports.request({ charset });
      await exports.ended(id);
      const file = await readExportFile(exports.own, exports.business.id, id);
      expect(file).toMatchObject({
        name: 'pinkas-uniform-2026-01-01-2026-12-31.zip',
        mediaType: 'application/zip',
      });
      const bytes = await exports.bytes(id);
      expect(bytes.length).toBe(file?.sizeBytes);
      const { folder, names } = await unzip(bytes);
      expect(names.map((name) => name.split('/').at(-1)).sort()).toEqual([
        'BKMVDATA.TXT',
        'BKMVDATA.zip',
        'INI.TXT',
        'SHA256SUMS',
        'book-end.json',
        ...['run-summary.html', 'run-summary.pdf', 'totals-by-type.html', 'totals-by-type.pdf'],
      ]);
      expect(names.every((name) => /^OPENFRMT\/77777772\.\d\d\/\d{8}\//.test(name))).toBe(true);
      const check = commands.find(({ noun, verb }) => noun === 'export' && verb === 'check');
      const checked = await check?.run(
        { arguments: { DIR: folder }, options: { against: exports.business.id } },
        (contract, request) => exports.network.call(contract, request),
        { show: () => {}, print: () => {} },
        () => Promise.reject(new Error('every process was called')),
      );
      expect(checked?.json).toMatchObject({ ok: true, compared: true, documents: 12, findings: [] });
    },
  );

  it('an export is in the trail of the book once, with the person who requested it', async () => {
    const id = await exports.request({ format: 'jsonl', from: '2026-06-01', to: '2026-06-30' });
    await exports.ended(id);
    expect(exports.recorded).toEqual([
      {
        business_id: exports.business.id,
        person_id: '00000000-0000-4000-8000-000000000001',
        format: 'jsonl',
        from: '2026-06-01',
        to: '2026-06-30',
      },
    ]);
  });

  it('an export as JSON lines is the book, an entry on each line', async () => {
    const id = await exports.request({ format: 'jsonl' });
    await exports.ended(id);
    const lines = (await exports.bytes(id)).toString().trimEnd().split('\n');
    const urls = { viewUrlBase: 'https://api.example.com/d', pdfUrlBase: 'https://api.example.com/pdf' };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      exports.book.map((entry) => toDocumentDetail(entry, urls)),
    );
    const file = await readExportFile(exports.own, exports.business.id, id);
    expect(file).toMatchObject({
      name: 'pinkas-jsonl-2026-01-01-2026-12-31.jsonl',
      mediaType: 'application/x-ndjson',
    });
  });

  it('an export as CSV is a zip of three tables', async () => {
    const id = await exports.request({ format: 'csv' });
    await exports.ended(id);
    const { folder, names } = await unzip(await exports.bytes(id));
    expect(names).toEqual(['documents-00001.csv', 'items-00001.csv', 'payments-00001.csv']);
    const documents = await readFile(join(folder, 'documents-00001.csv'), 'utf8');
    expect(documents.trimEnd().split('\r\n')).toHaveLength(exports.book.length + 1);
  });

  it('an export of PDFs is one zip, in chunks of a megabyte, and names the documents without a PDF', async () => {
    exports.withoutPdf.add(exports.book[0]?.document.id ?? '');
    const id = await exports.request({ format: 'pdf-zip' });
    await exports.ended(id);
    const sizes = (await chunksOf(id)).map(({ bytes }) => bytes.length);
    expect(sizes.length).toBe(3);
    expect(sizes.slice(0, -1)).toEqual([1_048_576, 1_048_576]);
    const { folder, names } = await unzip(await exports.bytes(id));
    const others = exports.book.slice(1).map(({ document }) => document);
    expect(names).toEqual([...others.map(({ number }) => `tax_invoice-${number}.pdf`), 'SHA256SUMS']);
    for (const { number, id: documentId } of others) {
      const pdf = await readFile(join(folder, `tax_invoice-${number}.pdf`));
      expect(pdf.equals(pdfOf(documentId))).toBe(true);
    }
    const [view] = await listExports(exports.own, exports.business.id);
    expect(view).toMatchObject({ id, missingPdfs: { count: 1, names: ['tax_invoice 1'] } });
  });

  it('listExports shows the progress of an export, and the number of documents of its dates', async () => {
    exports.book.push({
      ...(exports.book[0] as (typeof exports.book)[0]),
      document: {
        ...(exports.book[0] as (typeof exports.book)[0]).document,
        id: randomUUID(),
        date: '2019-12-31',
      },
    });
    let pages = 0;
    const held = holdBook();
    const wait = exports.beforePage.run;
    // The first page is answered.
    exports.beforePage.run = () => {
      pages += 1;
      return pages === 1 ? undefined : wait();
    };
    const id = await exports.request({ from: '2020-02-29', to: '2026-12-31' });
    const shown = await eventually('the progress is shown', async () => {
      const [view] = await listExports(exports.own, exports.business.id);
      return view?.id === id && view.progress.done > 0 && view;
    });
    expect(shown).toMatchObject({ state: 'running', progress: { done: 5, total: 12 }, file: null });
    held();
    await exports.ended(id);
    exports.book.pop();
    const [view] = await listExports(exports.own, exports.business.id);
    expect(view).toMatchObject({
      state: 'done',
      progress: { done: 12, total: 12 },
      failure: null,
      error: null,
    });
    const keptMs = (view?.expiresAt?.getTime() ?? 0) - (view?.endedAt?.getTime() ?? 0);
    expect(keptMs).toBe(7 * dayMs);
  });

  it('an export whose process died is taken over when its claim expires, and what it had stored is replaced', async () => {
    const { db } = exports.database;
    const dead: Claim = { business_id: exports.business.id, id: randomUUID(), claim_id: randomUUID() };
    const insert = { requested_at: exports.clock.now, next_attempt_at: exports.clock.now };
    await db
      .insertInto('export_job')
      .values({
        ...dead,
        ...insert,
        person_id: randomUUID(),
        format: 'jsonl',
        first_date: '2026-01-01',
        last_date: '2026-12-31',
        state: 'running',
        attempts: 1,
        recorded_at: exports.clock.now,
        claimed_until: new Date(Date.now() + minuteMs),
        documents: 5,
      })
      .execute();
    for (const position of [0, 7]) {
      expect(await insertChunk(db, dead, position, Buffer.from('of the dead process'), gib)).toBe('stored');
    }
    const now = new Date();
    expect(await claimDue(db, 1, now, now)).toEqual([]);
    exports.advanceClock(2 * minuteMs);
    expect(await exports.ended(dead.id)).toMatchObject({ state: 'done', attempts: 2, documents: 12 });
    expect((await exports.bytes(dead.id)).toString().trimEnd().split('\n')).toHaveLength(12);
    expect((await chunksOf(dead.id)).map(({ position }) => position)).toEqual([0]);
    expect(exports.recorded).toEqual([]);
  });

  it('a detailed VAT report keeps what it states, for the pages that show it', async () => {
    const id = await exports.request({ format: 'pcn874', from: '2026-06-01', to: '2026-06-30' });
    await exports.ended(id);
    const [shown] = await listExports(exports.own, exports.business.id);
    expect(shown).toMatchObject({ id, vatDetail: { rows: 12, left_out: { documents: 0 } } });
    expect((await exports.bytes(id)).toString('latin1').split('\r\n')).toHaveLength(15);
    const range = { from: '2026-06-01', to: '2026-06-30' };
    const own = forTenant(exports.own, exports.business.id);
    expect((await latestVatDetail(own, exports.business.id, range))?.vat_detail).toEqual(shown?.vatDetail);
    const other = { ...range, to: '2026-07-31' };
    expect(await latestVatDetail(own, exports.business.id, other)).toBeUndefined();
  });

  it('an attempt that has lost its claim stores nothing', async () => {
    const { db } = exports.database;
    const release = holdBook();
    const id = await exports.request({ format: 'jsonl' });
    await running(id);
    const { claim_id } = (await exports.row(id)) as ClaimedExport;
    const claim = { business_id: exports.business.id, id, claim_id };
    // Another worker takes it over, as after a long pause of the process.
    await db.updateTable('export_job').set({ claim_id: randomUUID() }).where('id', '=', id).execute();
    const file = {
      ...{ name: 'x', mediaType: 'y', sizeBytes: 1 },
      documents: 1,
      missingPdfCount: 0,
      missingPdfs: [],
      vatDetail: null,
      runReport: null,
    };
    expect(await insertChunk(db, claim, 0, Buffer.from('late'), gib)).toBe('lost');
    expect(await finish(db, claim, file, new Date(), new Date())).toBe(false);
    expect(await chunksOf(id)).toEqual([]);
    release();
    await db
      .updateTable('export_job')
      .set({ claimed_until: new Date(0) })
      .where('id', '=', id)
      .execute();
    expect(await exports.ended(id)).toMatchObject({ state: 'done', attempts: 2 });
  });

  it('an export of a process that stops is left to another, and its attempt does not count', async () => {
    const release = holdBook();
    // This process has an export of its own, so that the other takes the second one.
    const first = await exports.request({ format: 'jsonl' });
    await running(first);
    const other = await exports.startAnother();
    const id = await exports.request({ format: 'jsonl' });
    await running(id);
    await eventually('the trail has the export', async () => (await exports.row(id)).recorded_at !== null);
    await other.stop();
    expect(await exports.row(id)).toMatchObject({
      state: 'queued',
      attempts: 0,
      claimed_until: null,
      error: null,
    });
    release();
    expect(await exports.ended(id)).toMatchObject({ state: 'done', attempts: 1 });
    expect(exports.recorded).toHaveLength(2);
  });

  it('an export of another business goes before the next one of a business that has one in progress, or had one', async () => {
    const { db } = exports.database;
    const at = (minutes: number) => new Date(Date.now() + minutes * minuteMs);
    const [many, one] = [randomUUID(), randomUUID()];
    // Not yet due to the workers of the service: the test claims them, an hour later.
    for (const [place, business_id] of [many, many, many, one].entries()) {
      await db
        .insertInto('export_job')
        .values({
          ...{ business_id, id: randomUUID(), person_id: randomUUID(), format: 'jsonl', state: 'queued' },
          ...{ first_date: '2026-01-01', last_date: '2026-12-31', attempts: 0, documents: 0 },
          ...{ requested_at: at(place - 10), next_attempt_at: at(60 + place) },
        })
        .execute();
    }
    const claimed = async () => (await claimDue(db, 1, at(90), at(120)))[0]?.business_id;
    expect([await claimed(), await claimed(), await claimed()]).toEqual([many, one, many]);
    // Both have ended, that of the other business first.
    const end = {
      state: 'failed',
      failure: 'unavailable',
      next_attempt_at: null,
      claimed_until: null,
    } as const;
    for (const [business, minutes] of [
      [one, 91],
      [many, 92],
    ] as const) {
      await db
        .updateTable('export_job')
        .set({ ...end, ended_at: at(minutes) })
        .where('business_id', '=', business)
        .where('state', '=', 'running')
        .execute();
    }
    await db
      .insertInto('export_job')
      .values({
        ...{ business_id: one, id: randomUUID(), person_id: randomUUID(), format: 'jsonl', state: 'queued' },
        ...{ first_date: '2026-01-01', last_date: '2026-12-31', attempts: 0, documents: 0 },
        ...{ requested_at: at(0), next_attempt_at: at(80) },
      })
      .execute();
    expect([await claimed(), await claimed()]).toEqual([one, many]);
    await db.deleteFrom('export_job').where('business_id', 'in', [many, one]).execute();
  });

  it('two replicas make each export once, and each of them one at a time', async () => {
    const release = holdBook();
    const other = await exports.startAnother();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push(await exports.request({ format: 'jsonl' }));
    }
    const states = async () =>
      (await Promise.all(ids.map((id) => exports.row(id)))).map(({ state }) => state).sort();
    await eventually('both have one', async () => (await states()).join() === 'queued,running,running');
    const metrics = await scrape(exports.service);
    expect(metrics.get('pinkas_exports_pending{state="queued"}')).toBe(1);
    expect(metrics.get('pinkas_exports_pending{state="running"}')).toBe(2);
    release();
    for (const id of ids) {
      expect(await exports.ended(id)).toMatchObject({ state: 'done', attempts: 1 });
    }
    expect(exports.recorded).toHaveLength(3);
    await other.stop();
  });

  it('an export that fails is attempted three times, and its failure is shown', async () => {
    const failed = async () =>
      (await scrape(exports.service)).get('pinkas_export_attempts_total{outcome="failed"}') ?? 0;
    const others = await failed();
    const known = exports.business;
    // The gateway does not know it.
    exports.business = { ...known, id: randomUUID() };
    const missing = exports.business.id;
    const id = await exports.request({ format: 'jsonl', businessId: missing });
    exports.business = known;
    for (const [attempt, pauseMs] of [
      [1, 30_000],
      [2, 120_000],
    ] as const) {
      const row = await eventually('the attempt has failed', async () => {
        const found = await exports.row(id);
        return found.state === 'queued' && found.attempts === attempt && found;
      });
      expect(row.error).toMatch(/^not_found: /);
      expect(row.ended_at).toBeNull();
      exports.advanceClock(pauseMs + 1_000);
    }
    expect(await exports.ended(id)).toMatchObject({
      state: 'failed',
      attempts: 3,
      failure: 'unavailable',
      next_attempt_at: null,
    });
    const [view] = await listExports(exports.own, missing);
    expect(view).toMatchObject({ id, state: 'failed', failure: 'unavailable', file: null });
    expect(view?.error).toMatch(/^not_found: /);
    expect(exports.recorded).toHaveLength(1);
    expect(await readExportFile(exports.own, missing, id)).toBeNull();
    expect((await failed()) - others).toBe(1);
  });

  it('an export whose last attempt died with its process fails', async () => {
    const id = randomUUID();
    await exports.database.db
      .insertInto('export_job')
      .values({
        business_id: exports.business.id,
        id,
        claim_id: randomUUID(),
        person_id: randomUUID(),
        format: 'csv',
        first_date: '2026-01-01',
        last_date: '2026-12-31',
        requested_at: exports.clock.now,
        next_attempt_at: exports.clock.now,
        state: 'running',
        attempts: 3,
        claimed_until: new Date(exports.clock.now.getTime() - 1),
      })
      .execute();
    expect(await exports.ended(id)).toMatchObject({ state: 'failed', failure: 'unavailable' });
  });

  it('an export in the uniform structure of a business without a tax id fails at once', async () => {
    const { tax_id } = exports.business;
    exports.business.tax_id = null;
    const id = await exports.request();
    expect(await exports.ended(id)).toMatchObject({ state: 'failed', failure: 'no_tax_id', attempts: 1 });
    exports.business.tax_id = tax_id;
  });

  it.each([
    ['2026-02-30', '2026-12-31', '/from'],
    ['2026-01-01', 'today', '/to'],
    ['2026-01-02', '2026-01-01', '/to'],
  ])('requestExport rejects the dates %s to %s', async (from, to, path) => {
    const rejected = await exports.request({ from, to }).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(ApiError);
    expect((rejected as ApiError).details).toMatchObject({ errors: [{ path }] });
  });

  it('another business reads nothing of an export', async () => {
    const id = await exports.request({ format: 'jsonl' });
    await exports.ended(id);
    const other = randomUUID();
    expect(await readExportFile(exports.own, other, id)).toBeNull();
    expect(await listExports(exports.own, other)).toEqual([]);
    for (const table of ['export_job', 'export_chunk'] as const) {
      const seenBy = async (businessId: string) =>
        (await forTenant(exports.own, businessId).selectFrom(table).select('business_id').execute()).length;
      expect(await seenBy(other)).toBe(0);
      expect(await seenBy(exports.business.id)).toBeGreaterThan(0);
      expect(await exports.own.selectFrom(table).select('business_id').execute()).toEqual([]);
    }
    expect(await readExportFile(exports.own, exports.business.id, 'no id')).toBeNull();
  });
});
