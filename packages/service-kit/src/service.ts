import 'reflect-metadata';
import {
  type DynamicModule,
  Global,
  type INestApplicationContext,
  type LoggerService,
  Module,
  type Type,
} from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { inboxPrefixOf, type ServiceName, streamsOf } from '@pinkas/contracts';
import type { Kysely } from 'kysely';
import type { JetStreamManager, NatsConnection } from 'nats';
import { type Clock, systemClock } from './clock.js';
import { ConfigError, type ServiceConfig } from './config.js';
import { databaseAnswers, openDatabase } from './db/database.js';
import type { MessagingTables } from './db/messaging-tables.js';
import { type Consumes, consumptionOf } from './events/consumer.js';
import { ConsumerRunner } from './events/consumer-runner.js';
import { messagingMetrics, waitingMetrics } from './events/messaging-metrics.js';
import { messagingOperations } from './events/messaging-operations.js';
import { purgeMessaging, Relay } from './events/outbox.js';
import { Step } from './events/step.js';
import { Steps } from './events/steps.js';
import { ensureStreams } from './events/streams.js';
import { Sweep } from './events/sweep.js';
import { EventWatch } from './events/watch.js';
import { HealthServer, type ReadinessCheck } from './health.js';
import { createLogger, type Logger } from './logger.js';
import { Loop } from './loop.js';
import { Metrics } from './metrics.js';
import { connectNats, logDenials } from './nats-connection.js';
import { refuseUnsafeServers } from './production.js';
import { ContractServer } from './rpc/contract-server.js';
import { Admission, admitThrough, contractOf } from './rpc/operation.js';
import { Peers } from './rpc/peers.js';
import { kitTokens } from './tokens.js';
import { openTracing, Tracing } from './tracing/tracing.js';

/** How long a process that was told to stop may finish what it has begun. */
const drainTimeoutMs = 35_000;
const inFlightMax = 512;

/** Something of a service's own that runs beside its operations: an HTTP listener, a worker. */
export interface Background {
  start(): Promise<void> | void;
  /** Takes no new work and finishes what is in hand. */
  stop(): Promise<void>;
  /** Why it is not ready, or null. */
  ready?(): Promise<string | null>;
  /** What an operator has to see to, though it is ready. */
  warnings?(): string[];
}

/** Everything that makes one process. */
export interface ServiceOptions {
  name: ServiceName;
  config: ServiceConfig;
  /** Nest's module with the operations as controllers, and consumers and backgrounds as providers. */
  module: Type;
  /** Providers of the module that run in the background, in the order of their start. */
  backgrounds?: readonly Type<Background>[];
  /** Replaced in tests. */
  clock?: Clock;
}

/** A service that serves. */
export interface RunningService {
  /** Nest's container, for a service's own parts. */
  readonly app: INestApplicationContext;
  readonly healthPort: number;
  /** Drains and stops: no request that was accepted is lost. */
  stop(): Promise<void>;
}

/** The providers of the kit, visible in every module of the process, and the operations that every service has. */
@Global()
@Module({})
class KitModule {
  static with(
    providers: { provide: symbol | Type; useValue: unknown }[],
    controllers: readonly Type[],
  ): DynamicModule {
    return {
      module: KitModule,
      providers,
      controllers: [...controllers],
      exports: providers.map((provider) => provider.provide),
    };
  }
}

/**
 * Starts a service: database, NATS, streams, operations, consumers, backgrounds, health. Returns when it is ready to
 * work.
 * @throws when a part cannot be reached; nothing stays open then.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { name, config } = options;
  const logger = createLogger(name, config.logLevel);
  /** What was opened, to be closed in the opposite order. */
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) {
      await Promise.resolve(closer()).catch((error: unknown) =>
        logger.warn({ err: error }, 'a part did not close'),
      );
    }
  };
  try {
    const metrics = new Metrics();
    const tracing = await openTracing({
      serviceName: `pinkas-${name}`,
      endpoint: config.otlpEndpoint,
      share: config.tracesShare,
      logger,
      metrics,
    });
    // The last of all: the spans of the drain belong to the traces as well.
    closers.push(() => tracing.close());
    const db = openDatabase<MessagingTables>({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      applicationName: `pinkas-${name}`,
      logger,
    });
    closers.push(() => db.destroy());

    const connection = await connectNats(config.natsUrl, name, {
      inboxPrefix: inboxPrefixOf(name),
      caFile: config.natsCaFile,
    });
    void logDenials(connection, logger);
    closers.push(() => connection.close());
    // What was answered last may still be on its way out.
    closers.push(() => flushed(connection));
    if (config.production) await refuseUnsafeServers(connection, db);
    let manager: JetStreamManager | undefined;
    const openManager = async () => {
      manager ??= await connection.jetstreamManager({ timeout: 5_000 });
      return manager;
    };
    const needed = streamsOf(name);
    const streams = async () =>
      needed.length === 0 ? [] : ensureStreams(await openManager(), needed, config.streamReplicas);
    for (const differing of await streams())
      logger.warn(differing, 'a stream has other settings than this version gives a new one');

    const jetstream = connection.jetstream();
    const relay = new Relay(db, connection, jetstream, streams, logger, tracing);
    const admission = new Admission(inFlightMax, logger, metrics, tracing);
    const peers = new Peers(connection);
    const stepMetrics = messagingMetrics(metrics, db);
    const steps = new Steps();

    const app = await NestFactory.createMicroservice(
      {
        module: KitModule,
        imports: [
          KitModule.with(
            [
              { provide: kitTokens.database, useValue: db },
              { provide: kitTokens.clock, useValue: options.clock ?? systemClock },
              { provide: kitTokens.logger, useValue: logger },
              { provide: kitTokens.config, useValue: config },
              { provide: Peers, useValue: peers },
              { provide: EventWatch, useValue: new EventWatch(connection) },
              { provide: Relay, useValue: relay },
              { provide: Metrics, useValue: metrics },
              { provide: Tracing, useValue: tracing },
              { provide: Steps, useValue: steps },
            ],
            messagingOperations(name),
          ),
          options.module,
        ],
      },
      { strategy: new ContractServer(connection, name), logger: nestLogger(logger), abortOnError: false },
    );

    const runners: ConsumerRunner[] = [];
    const sweeps: Sweep[] = [];
    for (const instance of instancesOf(app)) {
      if (contractOf(instance.constructor)) admitThrough(instance, admission);
      const consumption = consumptionOf(instance.constructor);
      if (consumption) {
        const step = new Step(instance as Consumes<never, MessagingTables>, consumption, {
          db,
          relay,
          logger,
          metrics: stepMetrics,
          tracing,
        });
        steps.add(step);
        runners.push(
          new ConsumerRunner(step, {
            jetstream,
            manager: openManager,
            ensureStreams: streams,
            logger,
            concurrency: config.consumerConcurrency,
          }),
        );
        sweeps.push(new Sweep(step, { db, peers, logger, everyMs: config.sweepEveryMs }));
      }
    }
    if (runners.length > 0) waitingMetrics(metrics, db, runners);
    const backgrounds = (options.backgrounds ?? []).map((type) =>
      app.get<Background>(type, { strict: false }),
    );

    // Closed in the opposite order: no new requests, then those in hand, which may still need consumers and relay.
    relay.start();
    closers.push(() => relay.stop());
    const stopping = new AbortController();
    const purge = new Loop({
      name: 'purge',
      idleMs: 60 * 60 * 1000,
      turn: async () => {
        await purgeMessaging(db, stopping.signal);
        return 'idle';
      },
      logger,
    });
    purge.start();
    closers.push(() => {
      stopping.abort();
      return purge.stop();
    });
    const consuming = [...runners, ...sweeps];
    for (const consumer of consuming) consumer.start();
    // At once: one that is waited for must not leave the others taking new events meanwhile.
    closers.push(() => Promise.all(consuming.map((consumer) => consumer.stop())));
    await app.listen();
    // The subscriptions are on their way: whoever is told that this service is ready must be answered.
    await connection.flush();
    closers.push(() => admission.idle(drainTimeoutMs));
    closers.push(() => app.close());
    for (const background of backgrounds) {
      await background.start();
      closers.push(() => background.stop());
    }

    const natsAnswers = () => flushed(connection);
    const postgresAnswers = () => databaseAnswers(db as unknown as Kysely<unknown>);
    const checks: ReadinessCheck[] = [
      async () => ((await natsAnswers()) ? null : 'NATS does not answer'),
      async () => ((await postgresAnswers()) ? null : 'the database does not answer'),
      ...backgrounds.flatMap((background) =>
        background.ready ? [() => background.ready?.() ?? Promise.resolve(null)] : [],
      ),
    ];
    const warnings = () => backgrounds.flatMap((background) => background.warnings?.() ?? []);
    const health = new HealthServer(checks, metrics, warnings);
    metrics.gauge(
      'pinkas_ready',
      '1 while the process can do its work and is not shutting down, else 0.',
      () => health.reasons().then((reasons) => (reasons.length === 0 ? 1 : 0)),
    );
    metrics.gauges(
      'pinkas_server_answers',
      '1 for each server without which nothing goes on that answers this process, else 0.',
      'server',
      async () => {
        const [nats, postgres] = await Promise.all([natsAnswers(), postgresAnswers()]);
        return [
          ['nats', Number(nats)],
          ['postgres', Number(postgres)],
        ];
      },
    );
    const healthPort = await health.start(config.healthHost, config.healthPort);
    closers.unshift(() => health.stop());
    logger.info({ health_port: healthPort }, 'ready');

    return {
      app,
      healthPort,
      stop: async () => {
        health.drain();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The whole of a service's `main.ts`: starts, and drains at SIGTERM or SIGINT. */
export async function runService(options: () => ServiceOptions): Promise<void> {
  let logger = createLogger('pinkas', 'info');
  try {
    const made = options();
    logger = createLogger(made.name, made.config.logLevel);
    const service = await startService(made);
    let stopping = false;
    const stop = (signal: string) => {
      if (stopping) return;
      stopping = true;
      logger.info({ signal }, 'draining');
      // Whatever hangs in the drain must not keep the process for ever.
      setTimeout(() => process.exit(1), drainTimeoutMs + 5_000).unref();
      void service.stop().then(() => process.exit(0));
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('unhandledRejection', (error) => logger.error({ err: error }, 'an unhandled rejection'));
  } catch (error) {
    if (error instanceof ConfigError) logger.fatal(error.message);
    else logger.fatal({ err: error }, 'the service could not start');
    process.exit(1);
  }
}

/** Waits until NATS has had everything that was sent, a second at the most. @returns whether it has. */
async function flushed(connection: NatsConnection): Promise<boolean> {
  if (connection.isClosed()) return false;
  const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, 1_000, false).unref());
  return Promise.race([
    connection.flush().then(
      () => true,
      () => false,
    ),
    timeout,
  ]);
}

function* instancesOf(app: INestApplicationContext): Generator<object> {
  for (const module of app.get(ModulesContainer).values()) {
    for (const wrapper of [...module.controllers.values(), ...module.providers.values()]) {
      const instance: unknown = wrapper.instance;
      if (typeof instance === 'object' && instance !== null) yield instance;
    }
  }
}

/** Nest speaks of its wiring; only what goes wrong there is worth a line. */
function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => {},
    warn: (message: unknown) => logger.warn({ nest: message }, 'Nest'),
    error: (message: unknown) =>
      logger.error(message instanceof Error ? { err: message } : { nest: message }, 'Nest'),
  };
}
