import { isMessagingService, streamOf } from '@pinkas/contracts';
import { type RunningService, type ServiceOptions, startService } from '@pinkas/service-kit';
import { type ServiceConfig } from '@pinkas/service-kit/config';
import { type Migrations } from '@pinkas/service-kit/schema';
import { createTestDatabase, type TestDatabase } from './databases.js';
import { eventually } from './eventually.js';
import { TestNetwork } from './network.js';
import { startTestNats, type TestNats } from './servers.js';

/** What starts a service, and what it runs on. */
export interface ServiceParts<Tables, Config extends ServiceConfig> {
  readonly options: Omit<ServiceOptions, 'config'>;
  readonly config: Config;
  readonly clock: { now: Date };
  readonly service: RunningService;
  readonly database: TestDatabase<Tables>;
  readonly nats: TestNats;
  readonly network: TestNetwork;
}

/**
 * One service on a real database and a real NATS of its own. The test files of a service share a subclass, which answers for other
 * services, makes their events, and has what a test changes as its fields.
 */
export class ServiceUnderTest<Tables, Config extends ServiceConfig = ServiceConfig> {
  readonly service: RunningService;
  readonly database: TestDatabase<Tables>;
  readonly nats: TestNats;
  readonly network: TestNetwork;
  /** That of the running service: a test may change it. */
  readonly config: { -readonly [Name in keyof Config]: Config[Name] };
  /** That of the service, which does not advance where it was started with one: a test sets it. */
  readonly clock: { now: Date };
  readonly #options: Omit<ServiceOptions, 'config'>;
  readonly #others: RunningService[] = [];

  constructor(parts: ServiceParts<Tables, Config>) {
    this.service = parts.service;
    this.database = parts.database;
    this.nats = parts.nats;
    this.network = parts.network;
    this.config = parts.config;
    this.clock = parts.clock;
    this.#options = parts.options;
  }

  /** The processes of the service: the first, and those that were started later. */
  get processes(): readonly RunningService[] {
    return [this.service, ...this.#others];
  }

  /** Starts another process of the service, on the same servers and with the same clock; it is stopped with this one. */
  async startAnother(change: Partial<Config> = {}): Promise<RunningService> {
    const other = await startService({ ...this.#options, config: { ...this.config, ...change } as Config });
    this.#others.push(other);
    return other;
  }

  /** Makes the server forget a consumer of the service, so that every event comes again; waits until all were taken. */
  async redeliver(owner: Parameters<typeof streamOf>[0], durable: string): Promise<void> {
    const stream = streamOf(owner).name;
    const { consumers } = await this.network.streamManager();
    await consumers.delete(stream, durable);
    await eventually(`every event of ${owner} was taken again`, async () => {
      const found = await consumers.info(stream, durable);
      return found.delivered.stream_seq > 0 && found.num_pending === 0 && found.num_ack_pending === 0;
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((running) => running.stop()));
    await this.network.close();
    await this.database.close();
    await this.nats.stop();
  }
}

/** The part of every configuration that the test kit fills in. */
type FilledIn = keyof ServiceConfig;

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

/**
 * Starts a service with everything real that it needs; its calls to other services are answered through `network.answer`.
 * @param options `clock`: without it the service has the time of the machine.
 */
export async function startServiceUnderTest<
  Tables,
  Config extends ServiceConfig,
  Started extends ServiceUnderTest<Tables, Config>,
>(
  UnderTest: new (parts: ServiceParts<Tables, Config>) => Started,
  {
    service: named,
    migrations,
    clock,
    ...options
  }: {
    service: Omit<ServiceOptions, 'config' | 'clock'>;
    migrations: Migrations;
    config: Omit<Config, FilledIn> & Partial<ServiceConfig>;
    clock?: { now: Date };
  },
): Promise<Started> {
  const [database, nats] = await Promise.all([
    createTestDatabase<Tables>(migrations, { messaging: isMessagingService(named.name) }),
    startTestNats(),
  ]);
  const network = await TestNetwork.open(nats.url);
  const servers = { natsUrl: nats.url, databaseUrl: database.url };
  const config = { ...serviceConfig(servers), ...options.config } as unknown as Config;
  const machine = {
    get now() {
      return new Date();
    },
  };
  const own = clock ?? machine;
  const started = { ...named, migrations, ...(clock && { clock: { now: () => clock.now } }) };
  const service = await startService({ ...started, config });
  return new UnderTest({ options: started, config, clock: own, service, database, nats, network });
}
