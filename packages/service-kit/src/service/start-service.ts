import { randomUUID } from 'node:crypto';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import 'reflect-metadata';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { INestApplicationContext, INestMicroservice, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  consumerBindings,
  inboxPrefixOf,
  isMessagingService,
  type ServiceName,
  streamsOf,
} from '@pinkas/contracts';
import { type Clock, systemClock } from '../clock.js';
import { ConcurrencyLimiter } from '../concurrency/concurrency-limiter.js';
import { openDatabase } from '../db/pool.js';
import type { Migrations } from '../db/sql-migration.js';
import type { Database } from '../db/tenant-scope.js';
import { BroadcastServer } from '../diagnosis/broadcast-server.js';
import { Diagnosis } from '../diagnosis/diagnosis.js';
import { diagnosisOperations } from '../diagnosis/diagnosis-operations.js';
import { eventMetrics, pendingMetrics } from '../events/event-metrics.js';
import { EventWatch } from '../events/event-watch.js';
import { consumerBindingOf, type HandlesEvent } from '../events/inbox/event-handler.js';
import { eventRetries } from '../events/inbox/event-retries.js';
import { HandlerRegistry } from '../events/inbox/handler-registry.js';
import { InboxHandler } from '../events/inbox/inbox-handler.js';
import { JetStreamConsumer } from '../events/inbox/jetstream-consumer.js';
import type { MessagingTables } from '../events/messaging.tables.js';
import { messagingOperations } from '../events/messaging-operations.js';
import { PublishedEvents } from '../events/outbox/published-events.js';
import { purgeMessaging } from '../events/outbox/purge.js';
import { OutboxRelay } from '../events/outbox/relay.js';
import { Reconciler } from '../events/reconcile/reconciler.js';
import { ensureStreams } from '../events/streams.js';
import { Jobs } from '../jobs/jobs.js';
import { periodic } from '../jobs/periodic-task.js';
import type { BackgroundTask } from '../process/background-task.js';
import { Closers } from '../process/closers.js';
import type { ServiceConfig } from '../process/config.js';
import { HealthServer } from '../process/health-server.js';
import { createLogger, type Logger } from '../process/logger.js';
import { Metrics } from '../process/metrics.js';
import { connectNats, flush, logStatus } from '../process/nats-connection.js';
import { kitTokens } from '../process/tokens.js';
import { RpcClient } from '../rpc/client.js';
import { ContractHandler } from '../rpc/contract-handler.js';
import { handlersOf } from '../rpc/operation.js';
import { RequestMetrics } from '../rpc/request-metrics.js';
import { ContractServer } from '../rpc/server.js';
import { openTracing, Tracing } from '../tracing/tracing.js';
import { trailOperations } from '../trail/trail-operations.js';
import { instancesOf, KitModule, kitModule, nestLogger } from './kit-module.js';
import { addServiceChecks } from './process-checks.js';
import { rejectUnsafeServers } from './production-check.js';
import { reportReadiness } from './readiness.js';
import { bindJobs, openJobs } from './service-jobs.js';

/** How long a process that is shutting down may finish what is in flight. */
const drainTimeoutMs = timeLimitsMs.drain;
const inFlightMax = 512;
const purgeEveryMs = 60 * 60 * 1000;

/** Everything that makes one process. */
export interface ServiceOptions {
  name: ServiceName;
  config: ServiceConfig;
  /** Nest's module with the operations as controllers, and event handlers and background tasks as providers. */
  module: Type;
  /** Of its database, which are applied before it starts. */
  migrations?: Migrations;
  /** Providers of the module that run in the background, in the order of their start. */
  backgroundTasks?: readonly Type<BackgroundTask>[];
  /**
   * It answers for servers that are unavailable: it stays ready, so that callers get its errors and not those of a load
   * balancer that has no one left.
   */
  readyWithoutServers?: boolean;
  /** Replaced in tests. */
  clock?: Clock;
  /** Where it registers its metrics; without them it has its own, with those of Node. */
  metrics?: Metrics;
  /** The file of its log; without one it logs to standard output. */
  logFile?: string;
}

/** A started service. */
export interface RunningService {
  /** Nest's container. */
  readonly app: INestApplicationContext;
  readonly healthPort: number;
  /** What its probes report. */
  readonly health: HealthServer;
  /** Drains and stops: no accepted request is lost. */
  stop(): Promise<void>;
}

/** The connections of a process and what observes it. */
interface Infrastructure {
  readonly logger: Logger;
  readonly closers: Closers;
  readonly metrics: Metrics;
  readonly diagnosis: Diagnosis;
  readonly tracing: Tracing;
  readonly db: Database<MessagingTables>;
  readonly connection: NatsConnection;
}

/** The publishers and consumers of events. */
interface Messaging {
  readonly manager: () => Promise<JetStreamManager>;
  readonly ensureStreams: () => Promise<{ stream: string; differs: string[] }[]>;
  readonly published: PublishedEvents;
  readonly relay: OutboxRelay;
  readonly client: RpcClient;
  readonly handlers: HandlerRegistry;
}

/**
 * Starts a service: database, NATS, streams, operations, event handlers, background tasks, probes. Resolves when it is ready.
 * @throws when a part cannot be reached; nothing stays open then.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const logger = createLogger(options.name, options.config.logLevel, options.logFile);
  const closers = new Closers(logger);
  try {
    const metrics = options.metrics ?? new Metrics();
    const health = new HealthServer(metrics);
    // Closed last of all: the probes report the drain until its end.
    closers.add('health server', () => health.stop());
    const infrastructure = await openInfrastructure(options, logger, closers, metrics);
    const messaging = await openMessaging(options, infrastructure);
    const server = new ContractServer(infrastructure.connection, messaging.client, options.name);
    const broadcast = new BroadcastServer(infrastructure.connection, randomUUID());
    addServiceChecks(options, infrastructure, messaging.manager, () => health.reasons());
    const app = await createApp(options, infrastructure, messaging, server);
    const limiter = bindOperations(app, server, broadcast, infrastructure);
    const tasks = [
      bindJobs(app, options.name, infrastructure.diagnosis),
      ...(options.backgroundTasks ?? []).map((type) => app.get<BackgroundTask>(type, { strict: false })),
    ];
    if (isMessagingService(options.name)) {
      const consumers = bindEventHandlers(app, options, infrastructure, messaging);
      startMessaging(options, infrastructure, messaging.relay, consumers);
    }
    await startListening(app, limiter, broadcast, infrastructure);
    await startTasks(tasks, closers);
    reportReadiness(health, options, infrastructure, tasks);
    const healthPort = await health.start(options.config.healthHost, options.config.healthPort);
    logger.info({ health_port: healthPort }, 'service ready');
    const stop = () => {
      health.drain();
      return closers.close();
    };
    return { app, health, healthPort, stop };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function openInfrastructure(
  { name, config }: ServiceOptions,
  logger: Logger,
  closers: Closers,
  metrics: Metrics,
): Promise<Infrastructure> {
  const tracing = await openTracing({
    serviceName: `pinkas-${name}`,
    endpoint: config.otlpEndpoint,
    share: config.tracesShare,
    logger,
    metrics,
  });
  // After everything that still records spans during the drain.
  closers.add('tracing', () => tracing.close());
  const statements = metrics.counter(
    'pinkas_database_statements_total',
    'Statements that were sent to PostgreSQL; each is one round trip.',
  );
  const db = openDatabase<MessagingTables>({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    applicationName: `pinkas-${name}`,
    logger,
    onStatement: () => statements.inc(),
  });
  closers.add('database', () => db.destroy());
  const connection = await connectNats(config.natsUrl, name, {
    inboxPrefix: inboxPrefixOf(name),
    caFile: config.natsCaFile,
  });
  void logStatus(connection, logger);
  closers.add('nats', () => connection.close());
  metrics.counters(
    'pinkas_nats_messages_total',
    'Messages that were sent and received over NATS.',
    'direction',
    () => {
      const { inMsgs, outMsgs } = connection.stats();
      return [
        ['in', inMsgs],
        ['out', outMsgs],
      ];
    },
  );
  // The last replies may still be in the buffer.
  closers.add('nats buffer', () => flush(connection));
  if (config.production) {
    await rejectUnsafeServers(connection, db);
  }
  return { logger, closers, metrics, diagnosis: new Diagnosis(name), tracing, db, connection };
}

async function openMessaging(
  { name, config }: ServiceOptions,
  { connection, db, logger, tracing }: Infrastructure,
): Promise<Messaging> {
  let opened: JetStreamManager | undefined;
  const manager = async () => {
    opened ??= await jetstreamManager(connection, { timeout: 5_000 });
    return opened;
  };
  const streams = streamsOf(name);
  const ensure = async () =>
    streams.length === 0 ? [] : ensureStreams(await manager(), streams, config.streamReplicas);
  for (const { stream, differs } of await ensure()) {
    logger.warn({ stream, differs }, 'stream settings differ');
  }
  return {
    manager,
    ensureStreams: ensure,
    published: new PublishedEvents(manager, name),
    relay: new OutboxRelay(
      db,
      connection,
      jetstream(connection),
      ensure,
      logger,
      tracing,
      config.resendSeconds,
    ),
    client: new RpcClient(connection, inboxPrefixOf(name)),
    handlers: new HandlerRegistry(),
  };
}

/** The operations that the kit has for each service. */
const kitOperations = (name: ServiceName): Type[] => [
  ...messagingOperations(name),
  ...trailOperations(name),
  ...diagnosisOperations(name),
];

function createApp(
  { name, config, module, clock }: ServiceOptions,
  infrastructure: Infrastructure,
  { published, relay, client, handlers }: Messaging,
  server: ContractServer,
): Promise<INestMicroservice> {
  const { connection, db, logger, metrics, diagnosis, tracing } = infrastructure;
  const providers = [
    { provide: kitTokens.database, useValue: db },
    { provide: kitTokens.clock, useValue: clock ?? systemClock },
    { provide: kitTokens.logger, useValue: logger },
    { provide: kitTokens.config, useValue: config },
    { provide: RpcClient, useValue: client },
    { provide: EventWatch, useValue: new EventWatch(connection) },
    { provide: OutboxRelay, useValue: relay },
    { provide: PublishedEvents, useValue: published },
    { provide: Metrics, useValue: metrics },
    { provide: Diagnosis, useValue: diagnosis },
    { provide: Tracing, useValue: tracing },
    { provide: Jobs, useValue: openJobs(clock ?? systemClock, infrastructure, relay) },
    { provide: HandlerRegistry, useValue: handlers },
  ];
  return NestFactory.createMicroservice(
    {
      module: KitModule,
      imports: [kitModule(providers, kitOperations(name)), module],
    },
    { strategy: server, logger: nestLogger(logger), abortOnError: false },
  );
}

/** @returns the limiter of all requests, for the drain. */
function bindOperations(
  app: INestApplicationContext,
  server: ContractServer,
  broadcast: BroadcastServer,
  { logger, metrics, tracing }: Infrastructure,
): ConcurrencyLimiter {
  const limiter: ConcurrencyLimiter = new ConcurrencyLimiter(inFlightMax, () => requestMetrics.rejected());
  const requestMetrics = new RequestMetrics(metrics, () => limiter.inFlight);
  const parts = { limiter, metrics: requestMetrics, tracing, logger };
  for (const instance of instancesOf(app)) {
    for (const { contract, handle } of handlersOf(instance)) {
      const handler = new ContractHandler(contract, handle, parts);
      (contract.handledBy === 'every process' ? broadcast : server).addContract(handler);
    }
  }
  return limiter;
}

/** The consumers of a service's events, its own included. */
const consumersOf = (name: ServiceName): string[] =>
  consumerBindings.filter(({ event }) => event.owner === name).map(({ durable }) => durable);

function bindEventHandlers(
  app: INestApplicationContext,
  { name, config }: ServiceOptions,
  { db, logger, metrics, tracing, connection }: Infrastructure,
  { manager, ensureStreams: ensure, relay, client, handlers }: Messaging,
): BackgroundTask[] {
  const retries = eventRetries(db, { clock: systemClock, logger, tracing, handlers });
  const consumers: JetStreamConsumer[] = [];
  const reconcilers: Reconciler[] = [];
  const handlerMetrics = eventMetrics(metrics, db, consumersOf(name));
  const parts = { connection, jetstream: jetstream(connection), manager, ensureStreams: ensure, logger };
  for (const instance of instancesOf(app)) {
    const binding = consumerBindingOf(instance.constructor);
    if (!binding) {
      continue;
    }
    const handler = new InboxHandler(instance as HandlesEvent<never, MessagingTables>, binding, {
      db,
      relay,
      logger,
      metrics: handlerMetrics,
      tracing,
      dueStored: () => retries.trigger(),
    });
    handlers.add(handler);
    const consumer = new JetStreamConsumer(handler, { ...parts, concurrency: config.consumerConcurrency });
    consumers.push(consumer);
    reconcilers.push(
      new Reconciler(handler, { db, client, logger, consumer, everyMs: config.reconcileEveryMs }),
    );
  }
  if (consumers.length > 0) {
    pendingMetrics(metrics, db, consumers);
  }
  return consumers.length > 0 ? [...consumers, ...reconcilers, retries] : [];
}

/** Closed in the opposite order: no new requests, then those in flight, which may still need the consumers and the relay. */
function startMessaging(
  { name }: ServiceOptions,
  { closers, db, logger }: Infrastructure,
  relay: OutboxRelay,
  consumers: readonly BackgroundTask[],
): void {
  relay.start();
  closers.add('outbox relay', () => relay.stop());
  const stopping = new AbortController();
  const purge = periodic('purge', purgeEveryMs, logger, async () => {
    await purgeMessaging(db, { consumers: consumersOf(name), logger, signal: stopping.signal });
    return undefined;
  });
  purge.start();
  closers.add('purge', () => {
    stopping.abort();
    return purge.stop();
  });
  for (const consumer of consumers) {
    consumer.start();
  }
  // Together: while one is waited for the others must not take new events.
  closers.add('consumers', () => Promise.all(consumers.map((consumer) => consumer.stop())));
}

async function startListening(
  app: INestMicroservice,
  limiter: ConcurrencyLimiter,
  broadcast: BroadcastServer,
  { closers, connection }: Infrastructure,
): Promise<void> {
  await app.listen();
  broadcast.listen();
  // The server must know the subscriptions before the service reports that it is ready.
  await connection.flush();
  closers.add('requests in flight', () => limiter.idle(drainTimeoutMs));
  closers.add('subscriptions', () => {
    broadcast.close();
    return app.close();
  });
}

async function startTasks(tasks: readonly BackgroundTask[], closers: Closers): Promise<void> {
  for (const task of tasks) {
    await task.start();
    closers.add('background task', () => task.stop());
  }
}
