import { isMessagingService } from '@pinkas/contracts';
import { type RunningService, type ServiceOptions, startService } from '@pinkas/service-kit';
import { type ServiceConfig } from '@pinkas/service-kit/config';
import { type Migrations } from '@pinkas/service-kit/schema';
import { createTestDatabase, type TestDatabase } from './databases.js';
import { TestNetwork } from './network.js';
import { startTestNats, type TestNats } from './servers.js';

/** One service on a real database and a real NATS of its own. */
export interface ServiceUnderTest<Tables> {
  readonly service: RunningService;
  readonly database: TestDatabase<Tables>;
  readonly nats: TestNats;
  readonly network: TestNetwork;
  stop(): Promise<void>;
}

/** The part of every configuration that the test kit fills in. */
export type FilledIn = keyof ServiceConfig;

/** That part for a service on these servers. */
export function serviceConfig(servers: { natsUrl: string; databaseUrl: string }): ServiceConfig {
  return {
    production: false,
    natsCaFile: '',
    ...servers,
    databasePoolSize: 8,
    streamReplicas: 1,
    healthHost: '127.0.0.1',
    healthPort: 0,
    consumerConcurrency: 16,
    // Longer than a test waits: what a message lost is not found by another way.
    reconcileEveryMs: 600_000,
    reconcileAgeMs: 120_000,
    resendSeconds: 300,
    otlpEndpoint: '',
    tracesShare: 1,
    logLevel: process.env.TEST_LOG_LEVEL ?? 'silent',
  };
}

/** Starts a service with everything real that it needs; its calls to other services are answered through `network.answer`. */
export async function startServiceUnderTest<Tables, Config extends ServiceConfig>(options: {
  service: Omit<ServiceOptions, 'config'>;
  migrations: Migrations;
  config: Omit<Config, FilledIn> & Partial<ServiceConfig>;
}): Promise<ServiceUnderTest<Tables>> {
  const [database, nats] = await Promise.all([
    createTestDatabase<Tables>(options.migrations, { messaging: isMessagingService(options.service.name) }),
    startTestNats(),
  ]);
  const network = await TestNetwork.open(nats.url);
  const config: ServiceConfig = {
    ...serviceConfig({ natsUrl: nats.url, databaseUrl: database.url }),
    ...options.config,
  };
  const service = await startService({ ...options.service, config });
  return {
    service,
    database,
    nats,
    network,
    stop: async () => {
      await service.stop();
      await network.close();
      await database.close();
      await nats.stop();
    },
  };
}
