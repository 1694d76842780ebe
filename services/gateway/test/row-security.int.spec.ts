import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, type Database, ofBusiness, ofEveryBusiness, openDatabase } from '@pinkas/service-kit';
import type { GatewayTables } from '../src/business/business.tables.js';
import { type Caller, type GatewayUnderTest, startGateway } from './gateway.js';

describe('the rows of a business', () => {
  let gateway: GatewayUnderTest;
  let one: Caller;
  let other: Caller;
  let db: Database<GatewayTables>;
  beforeAll(async () => {
    gateway = await startGateway();
    db = openDatabase({
      url: gateway.database.url,
      poolSize: 2,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    [one, other] = [await gateway.caller(), await gateway.caller()];
  });
  afterAll(async () => {
    await db.destroy();
    await gateway.stop();
  });

  const seen = async (view: Database<GatewayTables>) => ({
    businesses: (await view.selectFrom('business').select('id').orderBy('created_at').execute()).map(
      (row) => row.id,
    ),
    keys: (await view.selectFrom('api_key').select('id').orderBy('created_at').execute()).map(
      (row) => row.id,
    ),
  });

  it('are seen by nobody who has not said for whom it asks', async () => {
    expect(await seen(db)).toEqual({ businesses: [], keys: [] });
    expect(await seen(ofBusiness(db, one.business.id))).toEqual({
      businesses: [one.business.id],
      keys: [one.key.id],
    });
    const all = await seen(ofEveryBusiness(db));
    expect(all.keys.sort()).toEqual([one.key.id, other.key.id].sort());
  });

  it('cannot be changed from within another', async () => {
    const own = ofBusiness(db, one.business.id);
    const taken = await own
      .updateTable('api_key')
      .set({ business_id: one.business.id })
      .where('id', '=', other.key.id)
      .executeTakeFirst();
    expect(taken.numUpdatedRows).toBe(0n);
    await expect(
      own.updateTable('api_key').set({ business_id: other.business.id }).execute(),
    ).rejects.toThrow('row-level security');
  });
});
