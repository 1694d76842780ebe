import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createKey, listDocuments, type ReplyOf, revokeKey } from '@pinkas/contracts';
import { hashKey } from '../src/api-key/api-key.js';
import { KeyOperations } from '../src/api-key/key-operations.js';
import type { GatewayConfig } from '../src/config.js';
import { type AnotherGateway, errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('the rotation of the pepper', () => {
  const pepper = randomBytes(32);
  let gateway: GatewayUnderTest;
  let former: Buffer;
  const replicas: AnotherGateway[] = [];
  beforeAll(async () => {
    gateway = await startGateway();
    former = gateway.config.apiKeyPepper;
  });
  afterAll(() => gateway.stop());
  // Replicas share the calls of operators: the next test's key must be hashed by the first gateway.
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map(({ service }) => service.stop()));
  });

  const startReplica = async (change: Partial<GatewayConfig>) => {
    const replica = await gateway.startAnotherGateway(change);
    replicas.push(replica);
    return replica;
  };
  const storedHash = async ({ id }: Pick<ReplyOf<typeof createKey>, 'id'>) =>
    gateway.database.db.selectFrom('api_key').select('hash').where('id', '=', id).executeTakeFirst();
  const statusAt = async (at: Pick<AnotherGateway, 'http'>, key: string) =>
    (await at.http('/v1/me', { key })).status;

  it('a key under the previous pepper is valid, and after one use it is hashed under the current one only', async () => {
    const { key } = await gateway.caller();
    const after = await startReplica({ apiKeyPepper: pepper });
    expect(await statusAt(after, key.key)).toBe(401);
    const during = await startReplica({ apiKeyPepper: pepper, previousApiKeyPepper: former });
    expect(await statusAt(during, key.key)).toBe(200);
    expect(await storedHash(key)).toEqual({ hash: hashKey(pepper, key.key) });
    expect(await statusAt(during, key.key)).toBe(200);
    expect(await statusAt(after, key.key)).toBe(200);
    expect(await statusAt(gateway, key.key)).toBe(401);
  });

  it('replicas that have the two peppers in different order accept every key, and a revoked one stays revoked', async () => {
    const { key } = await gateway.caller();
    const both = [
      await startReplica({ previousApiKeyPepper: pepper }),
      await startReplica({ apiKeyPepper: pepper, previousApiKeyPepper: former }),
    ];
    for (const at of [...both, ...both]) {
      expect(await statusAt(at, key.key)).toBe(200);
    }
    await gateway.network.call(revokeKey, { key_id: key.id });
    for (const at of both) {
      expect(errorCodeOf(await at.http('/v1/me', { key: key.key }))).toBe('key_revoked');
    }
  });

  it('a new key is hashed under the current pepper', async () => {
    const { business } = await gateway.caller();
    const during = await startReplica({ apiKeyPepper: pepper, previousApiKeyPepper: former });
    const key = await during.service.app
      .get(KeyOperations, { strict: false })
      .create({ business_id: business.id });
    expect(await storedHash(key)).toEqual({ hash: hashKey(pepper, key.key) });
  });

  it('concurrent requests with a key under the previous pepper are all answered', async () => {
    const { key } = await gateway.caller();
    const during = await startReplica({ apiKeyPepper: pepper, previousApiKeyPepper: former });
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusAt(during, key.key)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await storedHash(key)).toEqual({ hash: hashKey(pepper, key.key) });
  });

  it('a cursor that was signed under the previous pepper is valid', async () => {
    const { key } = await gateway.caller();
    const end = gateway.network.answer(listDocuments, () => ({ documents: [], next_before: 42 }));
    const page = await gateway.http('/v1/documents', { key: key.key });
    const during = await startReplica({ apiKeyPepper: pepper, previousApiKeyPepper: former });
    const next = await during.http(`/v1/documents?cursor=${page.json.next_cursor}`, { key: key.key });
    end();
    expect(next.status).toBe(200);
  });
});
