import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compile, Profile, revokeKey } from '@pinkas/contracts';
import { type Caller, errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('API keys', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    // Each test has a minute, and so a budget, of its own.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    caller = await gateway.caller();
  });

  it('let their business in, as a bearer token and as X-Api-Key', async () => {
    const { key } = caller.key;
    const bearer = await gateway.http('/v1/me', { key });
    const header = await gateway.http('/v1/me', { headers: { 'x-api-key': key } });
    expect(bearer.status).toBe(200);
    expect(compile(Profile)(bearer.json)).toMatchObject({ ok: true });
    expect(bearer.json).toMatchObject({
      business: {
        id: caller.business.id,
        legal_type: 'osek_murshe',
        legal_type_he: 'עוסק מורשה',
        vat_rate: 18,
      },
      limits: { per_minute: 60, daily_documents: 300, used_today: 7 },
      key: { name: 'API key', prefix: caller.key.prefix },
    });
    expect(bearer.json.allowed_document_types).toHaveLength(10);
    expect(header.json).toEqual(bearer.json);
    expect((await gateway.http('/v1/me', { headers: { authorization: `bearer  ${key}` } })).status).toBe(200);
  });

  it('are hashed: the database holds nothing of a key that works', async () => {
    const rows = await gateway.database.db.selectFrom('api_key').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    const secret = caller.key.key.slice(caller.key.prefix.length + 1);
    expect(secret).toMatch(/^[0-9A-Za-z]{43}$/);
    for (const row of rows) expect(JSON.stringify(row)).not.toContain(secret);
    expect(caller.key.key.startsWith(`${caller.key.prefix}_`)).toBe(true);
  });

  it.each(['', 'nonsense', `pk_live_${'0'.repeat(8)}_${'0'.repeat(43)}`, 'pk_live_\u00e9'])(
    'refuse the bad key %p',
    async (key) => {
      const answer = await gateway.http('/v1/me', { key });
      expect([answer.status, errorCodeOf(answer)]).toEqual([401, 'unauthorized']);
    },
  );

  it('refuse a key whose last letter was changed, and a request without any', async () => {
    const { key } = caller.key;
    const changed = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    expect(errorCodeOf(await gateway.http('/v1/me', { key: changed }))).toBe('unauthorized');
    expect(errorCodeOf(await gateway.http('/v1/me'))).toBe('unauthorized');
  });

  it('end with the very next request once they are revoked', async () => {
    const { key, id } = caller.key;
    expect((await gateway.http('/v1/me', { key })).status).toBe(200);
    await gateway.network.ask(revokeKey, { key_id: id });
    const answer = await gateway.http('/v1/me', { key });
    expect([answer.status, errorCodeOf(answer)]).toEqual([401, 'key_revoked']);
  });

  it('do what their scopes say and no more', async () => {
    const reader = await gateway.caller({ key: { scopes: ['documents:read'] } });
    const answer = await gateway.post(reader.key.key);
    expect([answer.status, errorCodeOf(answer)]).toEqual([403, 'insufficient_scope']);
    expect((await gateway.http('/v1/me', { key: reader.key.key })).json.key.scopes).toEqual([
      'documents:read',
    ]);
    const writer = await gateway.caller({ key: { scopes: ['documents:write'] } });
    expect((await gateway.post(writer.key.key)).status).toBe(201);
    const id = crypto.randomUUID();
    expect(errorCodeOf(await gateway.http(`/v1/documents/${id}`, { key: writer.key.key }))).toBe(
      'insufficient_scope',
    );
  });
});
