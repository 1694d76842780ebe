import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPublicDocument, getUsage, listSeries } from '@pinkas/contracts';
import { createLogger, type Database, ofBusiness, ofEveryBusiness, openDatabase } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../src/document/document.tables.js';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('the book of a business', () => {
  const tables = ['document', 'series', 'daily_count'] as const;
  let issuing: IssuingUnderTest;
  /** As the service opens it. */
  let db: Database<IssuingTables>;
  const other = randomUUID();

  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    db = openDatabase({
      url: issuing.database.url,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    await issuing.issue();
    await issuing.issue({ type: 'quote' }, randomUUID(), { business: { ...issuing.business, id: other } });
  });
  afterAll(async () => {
    await db.destroy();
    await issuing.stop();
  });

  const ownersIn = async (seen: Database<IssuingTables>, table: (typeof tables)[number]) => {
    const rows = await seen.selectFrom(table).select('business_id').execute();
    return rows.map((row) => row.business_id).sort();
  };

  it.each(tables)('is all that a query for it sees of %s, even one that names no business', async (table) => {
    expect(await ownersIn(ofBusiness(db, issuing.business.id), table)).toEqual([issuing.business.id]);
    expect(await ownersIn(ofBusiness(db, randomUUID()), table)).toEqual([]);
    expect(await ownersIn(db, table)).toEqual([]);
    expect(await ownersIn(ofEveryBusiness(db), table)).toEqual([issuing.business.id, other].sort());
  });

  it('takes no row of another business', async () => {
    const count = { business_id: other, key_id: randomUUID(), counted_on: '2026-06-15', documents: 1 };
    await expect(
      ofBusiness(db, issuing.business.id).insertInto('daily_count').values(count).execute(),
    ).rejects.toThrow('row-level security');
    const moved = await ofBusiness(db, issuing.business.id)
      .updateTable('series')
      .set({ next_number: sql`next_number + 1` })
      .where('business_id', '=', other)
      .executeTakeFirst();
    expect(moved.numUpdatedRows).toBe(0n);
  });

  it('is found by a public address, whosever it is', async () => {
    const { document } = await issuing.issue({ type: 'quote' }, randomUUID(), {
      business: { ...issuing.business, id: other },
    });
    const found = await issuing.network.ask(findPublicDocument, { public_id: document.public_id });
    expect(found.document).toEqual(document);
  });

  it('is counted and told by series for its business alone', async () => {
    const usage = (business_id: string) =>
      issuing.network.ask(getUsage, { business_id, key_id: issuing.keyId });
    expect(await usage(randomUUID())).toEqual({ used_today: 0 });
    const { series } = await issuing.network.ask(listSeries, { business_id: issuing.business.id });
    expect(series.map(({ type }) => type)).toEqual(['tax_invoice']);
  });
});
