import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  createBusiness,
  createKey,
  listKeys,
  platformId,
  revokeKey,
  setKillSwitch,
  updateBusiness,
} from '@pinkas/contracts';
import { acrossTenants, createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { readTrail } from '@pinkas/testkit';
import type { GatewayTables } from '../src/db/gateway.tables.js';
import { type Caller, errorPathsOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('keys, their trail, and who reaches the rows of whom', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  const create = async (business: BusinessChange) =>
    (await gateway.network.call(createBusiness, { business })).business;
  const change = async (id: string, settings: BusinessChange) =>
    (await gateway.network.call(updateBusiness, { business_id: id, change: settings })).business;

  it('a key has the defaults, is listed without its value, and keeps the instant of its first revocation', async () => {
    const { id } = await create({ name: 'עסק' });
    const made = await gateway.network.call(createKey, { business_id: id });
    expect(made).toMatchObject({
      scopes: ['documents:write', 'documents:read', 'customers:read'],
      per_minute: 60,
      daily_documents: 300,
      revoked_at: null,
    });
    const revokedAt = gateway.clock.now.toISOString();
    expect((await gateway.network.call(revokeKey, { key_id: made.id })).revoked_at).toBe(revokedAt);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 1_000);
    expect((await gateway.network.call(revokeKey, { key_id: made.id })).revoked_at).toBe(revokedAt);
    const { key, ...shown } = made;
    const { keys } = await gateway.network.call(listKeys, { business_id: id });
    expect(keys).toEqual([{ ...shown, revoked_at: revokedAt }]);
  });

  it('the database contains nothing of the value of a key but its hash and prefix', async () => {
    const { key } = await gateway.caller();
    const rows = await gateway.database.db.selectFrom('api_key').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    const secret = key.key.slice(key.prefix.length + 1);
    expect(secret).toMatch(/^[0-9A-Za-z]{49}$/);
    for (const row of rows) {
      expect(JSON.stringify(row)).not.toContain(secret);
    }
    expect(key.key.startsWith(`${key.prefix}_`)).toBe(true);
  });

  it('the trail names the person of the console who changes a business, creates a key or revokes it', async () => {
    const { id } = await create({ name: 'עסק' });
    const person_id = randomUUID();
    await gateway.network.call(updateBusiness, { business_id: id, change: { city: 'חיפה' }, person_id });
    const key = await gateway.network.call(createKey, { business_id: id, person_id });
    await gateway.network.call(revokeKey, { key_id: key.id, business_id: id, person_id });
    expect((await readTrail(gateway.database, id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['business.create', 'operator'],
      ['business.update', `person:${person_id}`],
      ['key.create', `person:${person_id}`],
      ['key.revoke', `person:${person_id}`],
    ]);
  });

  it('createKey allows a key of a person less than one of the operator', async () => {
    const { id } = await create({ name: 'עסק' });
    const wanted = { business_id: id, per_minute: 601, daily_documents: 10_001 };
    const make = (more: object) => gateway.network.call(createKey, { ...wanted, ...more });
    expect(await errorPathsOf(make({ person_id: randomUUID() }))).toEqual([
      '/daily_documents',
      '/per_minute',
    ]);
    expect(await make({})).toMatchObject({ per_minute: 601, daily_documents: 10_001 });
  });

  it('revokeKey with a business returns not_found for a key of another one, which stays valid', async () => {
    const [own, other] = [await create({ name: 'עסק' }), await create({ name: 'עסק אחר' })];
    const key = await gateway.network.call(createKey, { business_id: other.id });
    await expect(
      gateway.network.call(revokeKey, { key_id: key.id, business_id: own.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const { keys } = await gateway.network.call(listKeys, { business_id: other.id });
    expect(keys).toMatchObject([{ id: key.id, revoked_at: null }]);
    expect(await readTrail(gateway.database, own.id)).toHaveLength(1);
  });

  it('the trail has each change of a business and its keys once, with what was there before, and no value of a key', async () => {
    const created = await create({ name: 'עסק' });
    const { id } = created;
    await change(id, { name: 'עסק לדוגמה', auto_send: { enabled: true } });
    await change(id, { name: 'עסק לדוגמה' });
    const { key, last_used_at: _use, ...shown } = await gateway.network.call(createKey, { business_id: id });
    const { revoked_at } = await gateway.network.call(revokeKey, { key_id: shown.id });
    await gateway.network.call(revokeKey, { key_id: shown.id });
    const trail = await readTrail(gateway.database, id);
    const ofBusiness = { actor: 'operator', subject: id };
    const ofKey = { actor: 'operator', subject: shown.id };
    expect(trail).toEqual([
      { ...ofBusiness, action: 'business.create', before: null, after: created },
      {
        ...ofBusiness,
        action: 'business.update',
        before: { name: 'עסק', auto_send: created.auto_send },
        after: { name: 'עסק לדוגמה', auto_send: { ...created.auto_send, enabled: true } },
      },
      { ...ofKey, action: 'key.create', before: null, after: shown },
      { ...ofKey, action: 'key.revoke', before: { revoked_at: null }, after: { revoked_at } },
    ]);
    expect(JSON.stringify(trail)).not.toContain(key.slice(shown.prefix.length));
  });

  it('the kill switch rejects API requests and leaves operator contracts unaffected', async () => {
    const { key } = await gateway.caller();
    const statusOfMe = async () => (await gateway.http('/v1/me', { key: key.key })).status;
    expect(await gateway.network.call(setKillSwitch, { enabled: false })).toEqual({ enabled: false });
    expect(await statusOfMe()).toBe(503);
    await create({ name: 'עסק לדוגמה' });
    expect(await gateway.network.call(setKillSwitch, { enabled: false })).toEqual({ enabled: false });
    expect(await gateway.network.call(setKillSwitch, { enabled: true })).toEqual({ enabled: true });
    expect(await statusOfMe()).toBe(200);
    const set = { action: 'kill_switch.set', actor: 'operator', subject: 'api' };
    expect(await readTrail(gateway.database, platformId)).toEqual([
      { ...set, before: { enabled: true }, after: { enabled: false } },
      { ...set, before: { enabled: false }, after: { enabled: true } },
    ]);
  });

  describe('row-level security', () => {
    let first: Caller;
    let second: Caller;
    let db: Database<GatewayTables>;
    beforeAll(async () => {
      db = openDatabase({
        url: gateway.database.url,
        poolSize: 2,
        applicationName: 'test',
        logger: createLogger('test', 'silent'),
      });
      [first, second] = [await gateway.caller(), await gateway.caller()];
    });
    afterAll(() => db.destroy());

    const visibleTo = async (scope: Database<GatewayTables>) => {
      const businesses = await scope.selectFrom('business').select('id').execute();
      const keys = await scope.selectFrom('api_key').select('id').execute();
      return { businesses: businesses.map((row) => row.id), keys: keys.map((row) => row.id) };
    };

    it('a connection without a tenant scope sees no row, and one with a tenant scope sees that tenant only', async () => {
      expect(await visibleTo(db)).toEqual({ businesses: [], keys: [] });
      expect(await visibleTo(forTenant(db, first.business.id))).toEqual({
        businesses: [first.business.id],
        keys: [first.key.id],
      });
      const all = await visibleTo(acrossTenants(db));
      expect(all.keys).toEqual(expect.arrayContaining([first.key.id, second.key.id]));
    });

    it('a tenant can neither change the rows of another tenant nor move its own to one', async () => {
      const scope = forTenant(db, first.business.id);
      const changed = await scope
        .updateTable('api_key')
        .set({ business_id: first.business.id })
        .where('id', '=', second.key.id)
        .executeTakeFirst();
      expect(changed.numUpdatedRows).toBe(0n);
      await expect(
        scope.updateTable('api_key').set({ business_id: second.business.id }).execute(),
      ).rejects.toThrow('row-level security');
    });
  });
});
