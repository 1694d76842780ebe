import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPublicDocument, getUsage, listSeries } from '@pinkas/contracts';
import { acrossTenants, createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../src/document/document.tables.js';
import { cash, type IssuingUnderTest, startIssuing } from './issuing.js';

describe('tenant isolation', () => {
  const tables = [
    'document',
    'series',
    'daily_count',
    'book',
    'document_sum',
    'payment_sum',
    'account_sum',
    'debt_sum',
  ] as const;
  let issuing: IssuingUnderTest;
  /** Opened as the service opens it. */
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
    const receipt = { type: 'receipt', payments: cash(118) } as const;
    await issuing.issue(receipt);
    const business = { ...issuing.business, id: other };
    await issuing.issue({ type: 'quote' }, randomUUID(), { business });
    await issuing.issue(receipt, randomUUID(), { business });
  });
  afterAll(async () => {
    await db.destroy();
    await issuing.stop();
  });

  const ownersIn = async (seen: Database<IssuingTables>, table: (typeof tables)[number]) => {
    const rows = await seen.selectFrom(table).select('business_id').distinct().execute();
    return rows.map((row) => row.business_id).sort();
  };

  it.each(tables)('a query of one tenant sees only its own rows of %s', async (table) => {
    expect(await ownersIn(forTenant(db, issuing.business.id), table)).toEqual([issuing.business.id]);
    expect(await ownersIn(forTenant(db, randomUUID()), table)).toEqual([]);
    expect(await ownersIn(db, table)).toEqual([]);
    expect(await ownersIn(acrossTenants(db), table)).toEqual([issuing.business.id, other].sort());
  });

  it('a tenant can neither insert nor update a row of another one', async () => {
    const count = { business_id: other, key_id: randomUUID(), counted_on: '2026-06-15', documents: 1 };
    await expect(
      forTenant(db, issuing.business.id).insertInto('daily_count').values(count).execute(),
    ).rejects.toThrow('row-level security');
    const moved = await forTenant(db, issuing.business.id)
      .updateTable('series')
      .set({ next_number: sql`next_number + 1` })
      .where('business_id', '=', other)
      .executeTakeFirst();
    expect(moved.numUpdatedRows).toBe(0n);
  });

  it('findPublicDocument finds the document of any tenant by its public id', async () => {
    const { document } = await issuing.issue({ type: 'quote' }, randomUUID(), {
      business: { ...issuing.business, id: other },
    });
    const found = await issuing.network.call(findPublicDocument, { public_id: document.public_id });
    expect(found.document).toEqual(document);
  });

  it('getUsage and listSeries return the data of their business only', async () => {
    const usage = (business_id: string) =>
      issuing.network.call(getUsage, { business_id, key_id: issuing.keyId });
    expect(await usage(randomUUID())).toEqual({ used_today: 0 });
    const { series } = await issuing.network.call(listSeries, { business_id: issuing.business.id });
    expect(series.map(({ type }) => type)).toEqual(['receipt', 'tax_invoice']);
  });
});
