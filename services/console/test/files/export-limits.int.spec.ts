import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { forTenant } from '@pinkas/service-kit';
import { scrape } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type Claim } from '../../src/files/export/export.repository.js';
import { insertChunk, storedBytes } from '../../src/files/export/export-chunk.repository.js';
import { ExportsFullError } from '../../src/files/export/export-errors.js';
import { gib } from '../../src/files/export/export-policy.js';
import { ExportPurger } from '../../src/files/export/export-purger.js';
import { listExports, readExportFile, TooManyExportsError } from '../../src/files/export/exports.js';
import { type ExportsUnderTest, startExports } from '../exports.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe('limits of the exports of the console', () => {
  let exports: ExportsUnderTest;
  beforeAll(async () => {
    exports = await startExports();
  });
  afterEach(() => exports.settle());
  afterAll(() => exports?.stop());

  const chunksOf = (id: string) => exports.chunksOf(id);
  const holdBook = () => exports.holdBook();

  it('a business has at most three unfinished exports, however many are requested at once', async () => {
    const release = holdBook();
    const requests = await Promise.allSettled(
      Array.from({ length: 6 }, () => exports.request({ format: 'jsonl' })),
    );
    const refused = requests.flatMap((request) => (request.status === 'rejected' ? [request.reason] : []));
    expect(refused).toHaveLength(3);
    for (const reason of refused) {
      expect(reason).toBeInstanceOf(TooManyExportsError);
    }
    release();
  });

  it('a business whose files have too many bytes waits until some are deleted', async () => {
    const id = await exports.request({ format: 'jsonl' });
    const { size_bytes } = await exports.ended(id);
    const resize = (bytes: number | null) =>
      exports.database.db.updateTable('export_job').set({ size_bytes: bytes }).where('id', '=', id).execute();
    await resize(8 * 1024 ** 3);
    await expect(exports.request({ format: 'jsonl' })).rejects.toBeInstanceOf(TooManyExportsError);
    await resize(size_bytes);
    await expect(exports.request({ format: 'jsonl' })).resolves.toEqual(expect.any(String));
  });

  it('an export that finds no room next to those of all businesses fails, and a request is refused while there is none', async () => {
    const { db } = exports.database;
    const fill = (bytes: number) => db.updateTable('export_volume').set({ stored_bytes: bytes }).execute();
    const before = await storedBytes(db);
    await fill(gib - 1);
    const id = await exports.request({ format: 'jsonl' });
    expect(await exports.ended(id)).toMatchObject({ state: 'failed', failure: 'full', attempts: 1 });
    expect(await storedBytes(db)).toBe(gib - 1);
    await fill(gib);
    await expect(exports.request({ format: 'jsonl' })).rejects.toBeInstanceOf(ExportsFullError);
    await fill(before);
    await exports.ended(await exports.request({ format: 'jsonl' }));
    expect(await storedBytes(db)).toBeGreaterThan(before);
  });

  it('chunks that are stored at once, of several businesses, never have more bytes than they may together', async () => {
    const { db } = exports.database;
    const bytes = Buffer.alloc(1_000);
    const jobs = Array.from({ length: 4 }, () => ({
      ...{ business_id: randomUUID(), id: randomUUID(), claim_id: randomUUID() },
    }));
    const values = {
      ...{
        person_id: randomUUID(),
        format: 'jsonl' as const,
        first_date: '2026-01-01',
        last_date: '2026-12-31',
      },
      ...{
        state: 'running' as const,
        attempts: 1,
        requested_at: exports.clock.now,
        next_attempt_at: exports.clock.now,
      },
      claimed_until: new Date(Date.now() + 60 * minuteMs),
    };
    await db
      .insertInto('export_job')
      .values(jobs.map((job) => ({ ...job, ...values })))
      .execute();
    const before = await storedBytes(db);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, position) => {
        const job = jobs[position % jobs.length] as Claim;
        return insertChunk(
          forTenant(exports.own, job.business_id),
          job,
          position,
          bytes,
          before + 7 * bytes.length,
        );
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(7);
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(13);
    const stored = async () =>
      Number(
        (
          await db
            .selectFrom('export_chunk')
            .select(sql<string>`coalesce(sum(octet_length(bytes)), 0)`.as('bytes'))
            .executeTakeFirstOrThrow()
        ).bytes,
      );
    expect([await storedBytes(db), await stored()]).toEqual([before + 7_000, before + 7_000]);
    await db
      .updateTable('export_job')
      .set({ state: 'failed', failure: 'unavailable', next_attempt_at: null, claimed_until: null })
      .where(
        'id',
        'in',
        jobs.map(({ id }) => id),
      )
      .execute();
    // Two processes purge at once.
    const purger = exports.service.app.get(ExportPurger, { strict: false });
    await Promise.all([purger.tick(), purger.tick()]);
    expect([await storedBytes(db), await stored()]).toEqual([before, before]);
    expect((await scrape(exports.service)).get('pinkas_exports_stored_bytes')).toBe(before);
  });

  it('the bytes of an export are deleted after seven days, and a download that runs then ends with an error', async () => {
    const id = await exports.request({ format: 'pdf-zip' });
    await exports.ended(id);
    const purger = exports.service.app.get(ExportPurger, { strict: false });
    await purger.tickNow();
    const file = await readExportFile(exports.own, exports.business.id, id);
    const reading = file?.chunks[Symbol.asyncIterator]();
    expect((await reading?.next())?.value).toHaveLength(1_048_576);
    exports.advanceClock(7 * dayMs + minuteMs);
    await purger.tickNow();
    expect(await exports.row(id)).toMatchObject({ state: 'expired' });
    expect(await chunksOf(id)).toEqual([]);
    expect(await readExportFile(exports.own, exports.business.id, id)).toBeNull();
    await expect(reading?.next()).rejects.toThrow('ends after 1048576 of');
    const [view] = await listExports(exports.own, exports.business.id);
    expect(view).toMatchObject({
      id,
      state: 'expired',
      file: { name: 'pinkas-pdf-2026-01-01-2026-12-31.zip' },
    });
  });
});
