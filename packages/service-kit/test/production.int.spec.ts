import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { natsAuthorization } from '@pinkas/contracts';
import { type RunningPostgres, startPostgres } from '@pinkas/local-stack/servers';
import { adminUrl, startTestNats, type TestServer } from '@pinkas/testkit';
import { startService } from '../src/index.js';
import { readConfig, serviceFields } from '../src/process/config.js';

@Module({})
class Nothing {}

const password = '0f3c9a7be1d2';

describe('a service for real documents', () => {
  let open: TestServer;
  let guarded: TestServer;
  let postgres: RunningPostgres;
  beforeAll(async () => {
    const folder = join(process.env.PINKAS_TEST_HOME ?? '', 'durable-postgres');
    [open, guarded, postgres] = await Promise.all([
      startTestNats(),
      startTestNats(natsAuthorization(() => JSON.stringify(password))),
      startPostgres({ dataDir: folder, logFile: `${folder}.log`, durable: true }),
    ]);
  });
  afterAll(() => Promise.all([open.stop(), guarded.stop(), postgres.stop()]));

  const start = (nats: TestServer, databaseUrl: string) =>
    startService({
      name: 'gateway',
      module: Nothing,
      config: readConfig(serviceFields, {
        NATS_URL: nats.url.replace('nats://', `nats://gateway:${password}@`),
        DATABASE_URL: databaseUrl,
        HEALTH_PORT: '0',
        LOG_LEVEL: 'silent',
      }),
    });

  it('a service for real documents starts on NATS with users and a durable database', async () => {
    const service = await start(guarded, postgres.url);
    await service.stop();
  });

  it('a service for real documents rejects a database without fsync', async () => {
    await expect(start(guarded, adminUrl())).rejects.toThrow(/PostgreSQL has fsync off: a power failure/);
  });

  it.each(['off', 'local'])(
    'a service for real documents rejects a role with synchronous_commit %s',
    async (setting) => {
      const url = `${postgres.url}?options=${encodeURIComponent(`-c synchronous_commit=${setting}`)}`;
      await expect(start(guarded, url)).rejects.toThrow(`PostgreSQL has synchronous_commit ${setting}`);
    },
  );

  it('a service for real documents rejects a NATS without authentication', async () => {
    await expect(start(open, postgres.url)).rejects.toThrow(/NATS requires no authentication/);
  });
});
