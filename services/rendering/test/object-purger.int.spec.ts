import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, type Database, openDatabase } from '@pinkas/service-kit';
import { createTestDatabase, type TestDatabase } from '@pinkas/testkit';
import type { RenderingConfig } from '../src/config.js';
import type { RenderingTables } from '../src/db/artifact.tables.js';
import { migrations } from '../src/db/migrations.js';
import type { ArtifactStore } from '../src/store/artifact-store.js';
import { ListLostArtifacts } from '../src/store/list-lost-artifacts.js';
import { ObjectPurger } from '../src/store/object-purger.js';

const logger = createLogger('test', 'silent');
const dayMs = 24 * 60 * 60 * 1_000;
const keepDays = 70;
const sha256 = createHash('sha256').digest();

describe('ObjectPurger', () => {
  let database: TestDatabase<RenderingTables>;
  let opened: Database<RenderingTables>;
  beforeAll(async () => {
    database = await createTestDatabase<RenderingTables>(migrations);
    opened = openDatabase<RenderingTables>({
      url: database.url,
      poolSize: 1,
      applicationName: 'test',
      logger,
    });
  });
  afterAll(async () => {
    await opened?.destroy();
    await database?.close();
  });

  it('a file without a row is deleted when a person had it listed as long ago as no backup is old, and no other', async () => {
    const [business_id, withRow] = [randomUUID(), randomUUID()];
    const keyOf = (document_id: string) =>
      `2026-06-15/${business_id}/${document_id}/${sha256.toString('hex')}-0123456789ab.pdf`;
    const [kept, lost, unseen] = [keyOf(withRow), keyOf(randomUUID()), keyOf(randomUUID())];
    const files = new Set([kept, lost]);
    const clock = { now: new Date() };
    const store = {
      ...{ isConfigured: true, isWritten: true },
      list: async () => [...files].map((key) => ({ key, modifiedAt: new Date('2026-06-15') })),
      remove: async (key: string) => files.delete(key),
    } as unknown as ArtifactStore;
    const now = { now: () => clock.now };
    const config = { artifactStoreKeepDays: keepDays } as RenderingConfig;
    const lister = new ListLostArtifacts(opened, now, store);
    const purger = new ObjectPurger(opened, now, config, logger, store);
    await database.db
      .insertInto('artifact')
      .values({
        ...{ business_id, document_id: withRow, revision: 1, attempt: 1, size_bytes: 1, template_version: 1 },
        ...{ request_sha256: sha256, sha256, certificate_sha256: sha256, pdf: null, object_key: kept },
        original: true,
      })
      .execute();

    expect((await lister.list({ after: '' })).files.map(({ object_key }) => object_key)).toEqual([lost]);
    files.add(unseen);
    await purger.tick();
    clock.now = new Date(clock.now.getTime() + (keepDays - 1) * dayMs);
    await purger.tick();
    expect([...files]).toEqual([kept, lost, unseen]);
    clock.now = new Date(clock.now.getTime() + 2 * dayMs);
    await purger.tick();
    expect([...files]).toEqual([kept, unseen]);
  });
});
