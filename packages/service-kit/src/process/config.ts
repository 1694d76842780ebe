import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { type EnvField, flag, integer, share, text, url } from './env-field.js';
import { readNatsAddress } from './nats-connection.js';
import { productionFindings } from './secrets-check.js';

type Fields = Record<string, EnvField<unknown>>;
/** The variables of a process, or of one service in it. */
export type Environment = Readonly<Record<string, string | undefined>>;
export type ConfigOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends EnvField<infer T> ? T : never;
};

/** Names all missing and malformed variables. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a process's configuration from its environment.
 * @throws ConfigError that names every variable that is missing or wrong, with what is expected.
 */
export function readConfig<F extends Fields>(fields: F, env: Environment): ConfigOf<F> {
  const findings: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const given = env[field.name];
    if (given === undefined || given === '') {
      if (field.fallback === undefined) {
        findings.push(`${field.name} is not set: ${field.meaning} Example: ${field.example}`);
      }
      values[key] = field.fallback;
      continue;
    }
    try {
      values[key] = field.parse(given);
    } catch (error) {
      findings.push(`${field.name} is wrong: ${(error as Error).message}. Example: ${field.example}`);
    }
  }
  if (values.production === true) {
    findings.push(...productionFindings(Object.values(fields), env));
  }
  if (findings.length > 0) {
    throw new ConfigError(`The environment is not complete:\n  ${findings.join('\n  ')}`);
  }
  return values as ConfigOf<F>;
}

/** The variables that every service reads. */
export const serviceFields = {
  production: flag('PRODUCTION', {
    meaning:
      'Whether real documents are issued here: then the service rejects placeholder secrets, a NATS without authentication, and a database that may lose a commit.',
    example: 'true',
    fallback: true,
  }),
  natsUrl: {
    ...text('NATS_URL', {
      meaning:
        "Where NATS listens, with the service's own user; several servers are separated by commas, and tls:// requires encryption.",
      example: 'tls://issuing:secret@nats.example.com:4222',
      secret: true,
    }),
    parse: (value: string): string => {
      readNatsAddress(value);
      return value;
    },
  },
  natsCaFile: text('NATS_CA_FILE', {
    meaning:
      "The certificate, in PEM, of the authority of the NATS servers' certificates; empty: one that Node trusts by default.",
    example: '/etc/pinkas/nats/ca.crt',
    fallback: '',
  }),
  databaseUrl: url('DATABASE_URL', {
    meaning: "The service's own database, with its login role.",
    example: 'postgres://pinkas_issuing:secret@127.0.0.1:5432/pinkas_issuing',
    protocols: ['postgres:', 'postgresql:'],
    secret: true,
  }),
  databasePoolSize: integer('DATABASE_POOL_SIZE', {
    meaning: 'The most connections to the database that the process opens.',
    example: '16',
    fallback: 16,
    min: 2,
    max: 200,
  }),
  streamReplicas: integer('NATS_STREAM_REPLICAS', {
    meaning: 'On how many NATS servers each stream is stored.',
    example: '3',
    fallback: 1,
    min: 1,
    max: 5,
  }),
  healthHost: text('HEALTH_HOST', {
    meaning: 'The address that the health endpoints and the metrics listen on.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
  }),
  healthPort: integer('HEALTH_PORT', {
    meaning: 'The port of GET /livez, /readyz and /metrics; 0 picks a free one.',
    example: '9101',
    min: 0,
    max: 65535,
  }),
  consumerConcurrency: integer('CONSUMER_CONCURRENCY', {
    meaning: 'How many events each consumer of the process has in flight at most.',
    example: '16',
    fallback: 16,
    min: 1,
    max: 256,
  }),
  reconcileEveryMs: integer('RECONCILE_EVERY_MS', {
    meaning:
      'How often each consumer is compared with the outboxes of the owners of its events, in milliseconds.',
    example: '30000',
    fallback: 30_000,
    min: 50,
    max: 3_600_000,
  }),
  reconcileAgeMs: integer('RECONCILE_AGE_MS', {
    meaning:
      'How old an event of this service must be before a reconciler sees it, in milliseconds: the time that its stream has to deliver it.',
    example: '120000',
    fallback: 120_000,
    min: 0,
    max: 3_600_000,
  }),
  resendSeconds: integer('NATS_RESEND_SECONDS', {
    meaning:
      'How long before a loss of the connection an event may have been sent to be sent again, in seconds (at start five minutes at least): more than twice sync_interval of the NATS servers, whose default is two minutes.',
    example: '30',
    fallback: 300,
    min: 1,
    max: 3_600,
  }),
  otlpEndpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', {
    meaning:
      'The collector that traces are sent to, OTLP over HTTP, without /v1/traces; empty: no traces are recorded.',
    example: 'http://otel-collector.monitoring:4318',
    fallback: '',
    protocols: ['http:', 'https:'],
  }),
  tracesShare: share('OTEL_TRACES_SAMPLER_ARG', {
    meaning:
      'The share of the traces that is recorded, from 0 to 1. A caller that sends a traceparent decides for its own.',
    example: '0.1',
    fallback: 1,
  }),
  logLevel: text('LOG_LEVEL', {
    meaning: 'The lowest level that is logged: trace, debug, info, warn, error, fatal or silent.',
    example: 'info',
    fallback: 'info',
  }),
};
export type ServiceConfig = ConfigOf<typeof serviceFields>;

/** The variables of a service that serves HTTP to the public, besides `serviceFields`. */
export const httpServerFields = {
  httpHost: text('HTTP_HOST', {
    meaning: 'The address that the HTTP server listens on.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
  }),
  httpPort: integer('HTTP_PORT', {
    meaning: 'The port of the HTTP server; 0 picks a free one.',
    example: '8080',
    min: 0,
    max: 65535,
  }),
  shutdownDelayMs: integer('SHUTDOWN_DELAY_MS', {
    meaning:
      'The time between SIGTERM and the end of listening, in milliseconds: until load balancers send no more connections and callers have opened new ones.',
    example: '5000',
    fallback: timeLimitsMs.shutdownDelay,
    min: 0,
    max: 5_000,
  }),
  trustedProxies: text('TRUSTED_PROXIES', {
    meaning:
      'The addresses or networks of the proxies in front of the service, separated by commas; X-Forwarded-For counts only from these.',
    example: '10.0.0.0/8,fd00::/8',
    fallback: '',
  }),
};

/** The variables of a migration. */
export const migrationFields = {
  databaseUrl: url('MIGRATION_DATABASE_URL', {
    meaning: "The service's own database, with the role that owns its tables.",
    example: 'postgres://pinkas_issuing_owner:secret@127.0.0.1:5432/pinkas_issuing',
    protocols: ['postgres:', 'postgresql:'],
    secret: true,
  }),
};

/** The variables of provisioning a service's database: its two addresses name the database and its roles. */
export const provisioningFields = {
  adminUrl: url('ADMIN_DATABASE_URL', {
    meaning: 'The database server, with a role that may create databases and roles.',
    example: 'postgres://postgres:secret@127.0.0.1:5432/postgres',
    protocols: ['postgres:', 'postgresql:'],
    secret: true,
  }),
  loginUrl: serviceFields.databaseUrl,
  ownerUrl: migrationFields.databaseUrl,
};

/** The environment of this process. */
export const processEnvironment: Environment = process.env;

/**
 * The variables of one of several services in a process: `ISSUING_NATS_URL` takes the place of `NATS_URL` for issuing, and so on. The
 * probes of a service have a free port unless it is given so: `HEALTH_PORT` is the port of the process.
 */
export function environmentOf(service: string, env: Environment): Environment {
  const prefix = `${service.toUpperCase()}_`;
  const own = Object.entries(env)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value] as const);
  return { ...env, HEALTH_PORT: '0', ...Object.fromEntries(own) };
}

/** Reads the configuration of this process from its own environment; see `readConfig`. */
export function readEnvironment<F extends Fields>(fields: F): ConfigOf<F> {
  return readConfig(fields, processEnvironment);
}
