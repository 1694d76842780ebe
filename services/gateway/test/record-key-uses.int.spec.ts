import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listKeys, revokeKey } from '@pinkas/contracts';
import { eventually, readTrail } from '@pinkas/testkit';
import { sql } from 'kysely';
import { storeKeyUses } from '../src/api-key/api-key.repository.js';
import { type Caller, type GatewayUnderTest, startGateway } from './gateway.js';

describe('KeyUseRecorder', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 10 * 60_000);
    caller = await gateway.caller();
  });

  const use = async ({ http }: Pick<GatewayUnderTest, 'http'> = gateway) =>
    (await http('/v1/me', { key: caller.key.key })).status;
  const lastUsedAt = async () => {
    const { keys } = await gateway.network.call(listKeys, { business_id: caller.business.id });
    return keys.find(({ id }) => id === caller.key.id)?.last_used_at;
  };
  const minute = () => `${gateway.clock.now.toISOString().slice(0, 16)}:00.000Z`;
  /** The version of the key's row: it differs after each write. */
  const version = async () =>
    gateway.database.db
      .selectFrom('api_key')
      .select(sql<string>`xmin::text`.as('version'))
      .where('id', '=', caller.key.id)
      .executeTakeFirstOrThrow();

  it('listKeys says to the minute when a key was last used, and null before its first use', async () => {
    expect(await lastUsedAt()).toBeNull();
    expect(await use()).toBe(200);
    await eventually('the use is stored', async () => (await lastUsedAt()) === minute());
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 3 * 60_000);
    expect(await use()).toBe(200);
    await eventually('the later use is stored', async () => (await lastUsedAt()) === minute());
  });

  it('the uses of a minute are stored once, on however many gateways', async () => {
    const other = await gateway.startAnotherGateway();
    let stored: Awaited<ReturnType<typeof version>>;
    try {
      expect(await use()).toBe(200);
      await eventually('the use is stored', lastUsedAt);
      stored = await version();
      expect([await use(), await use(other)]).toEqual([200, 200]);
    } finally {
      // It stores what it has noted.
      await other.service.stop();
    }
    expect(await version()).toEqual(stored);
  });

  it('a gateway that stops stores the uses that it has noted', async () => {
    const other = await gateway.startAnotherGateway();
    expect(await use(other)).toBe(200);
    await other.service.stop();
    expect(await lastUsedAt()).toBe(minute());
  });

  it('a request waits for no lock of its key, and the trail of the business has no uses', async () => {
    const before = await readTrail(gateway.database, caller.business.id);
    await gateway.database.db.transaction().execute(async (trx) => {
      await trx.selectFrom('api_key').select('id').where('id', '=', caller.key.id).forUpdate().execute();
      expect(await use()).toBe(200);
    });
    await eventually('the use is stored', lastUsedAt);
    expect(await readTrail(gateway.database, caller.business.id)).toEqual(before);
    expect(JSON.stringify(before)).not.toContain('last_used_at');
  });

  it('a request with a revoked key is no use', async () => {
    await gateway.network.call(revokeKey, { key_id: caller.key.id });
    const other = await gateway.startAnotherGateway();
    expect(await use(other)).toBe(401);
    await other.service.stop();
    expect(await lastUsedAt()).toBeNull();
  });

  it('storing the uses of several keys skips a key that does not exist, and moves none back', async () => {
    const second = await gateway.caller();
    const [earlier, later] = [new Date('2026-07-01T10:00:00Z'), new Date('2026-07-01T10:01:00Z')];
    const { db } = gateway.database;
    await storeKeyUses(db, [
      { id: caller.key.id, usedAt: later },
      { id: randomUUID(), usedAt: later },
      { id: second.key.id, usedAt: earlier },
    ]);
    await storeKeyUses(db, [
      { id: second.key.id, usedAt: later },
      { id: caller.key.id, usedAt: earlier },
    ]);
    const rows = await db
      .selectFrom('api_key')
      .select('last_used_at')
      .where('id', 'in', [caller.key.id, second.key.id])
      .execute();
    expect(rows).toEqual([{ last_used_at: later }, { last_used_at: later }]);
  });

  it('a key that is revoked before its use is stored is revoked all the same', async () => {
    const other = await gateway.startAnotherGateway();
    expect(await use(other)).toBe(200);
    const { revoked_at } = await gateway.network.call(revokeKey, { key_id: caller.key.id });
    await other.service.stop();
    const { keys } = await gateway.network.call(listKeys, { business_id: caller.business.id });
    expect(keys).toMatchObject([{ revoked_at, last_used_at: minute() }]);
  });
});
