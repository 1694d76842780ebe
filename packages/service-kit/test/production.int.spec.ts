import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { natsAuthorization } from '@pinkas/contracts';
import { type RunningPostgres, startPostgres } from '@pinkas/local-servers';
import { adminUrl, startTestNats, type TestServer } from '@pinkas/testkit';
import { readConfig, serviceFields, startService } from '../src/index.js';

@Module({})
class Nothing {}

const password = '0f3c9a7be1d2';

describe('a service that issues real documents', () => {
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

  it('starts on a NATS with users and a database that keeps what it has committed', async () => {
    const service = await start(guarded, postgres.url);
    await service.stop();
  });

  it('refuses a database that loses what it has committed when the power fails', async () => {
    await expect(start(guarded, adminUrl())).rejects.toThrow(/PostgreSQL has fsync off: a power cut/);
  });

  it('refuses a role that does not wait for its commits', async () => {
    const url = `${postgres.url}?options=${encodeURIComponent('-c synchronous_commit=off')}`;
    await expect(start(guarded, url)).rejects.toThrow(/PostgreSQL has synchronous_commit off/);
  });

  it('refuses a NATS that takes anybody', async () => {
    await expect(start(open, postgres.url)).rejects.toThrow(/NATS takes anybody/);
  });
});
