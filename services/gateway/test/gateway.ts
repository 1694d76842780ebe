import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Business,
  type BusinessChange,
  type CreateDocument,
  compile,
  createBusiness,
  createKey,
  ErrorBody,
  getUsage,
  issueDocument,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { type RunningService, startService } from '@pinkas/service-kit';
import { type ServiceConfig } from '@pinkas/service-kit/config';
import {
  demoBusiness,
  exampleDocument,
  type ServiceUnderTest,
  serviceConfig,
  startServiceUnderTest,
  startTestRedis,
} from '@pinkas/testkit';
import { Redis } from 'ioredis';
import type { GatewayConfig } from '../src/config.js';
import type { GatewayTables } from '../src/db/gateway.tables.js';
import { migrations } from '../src/db/migrations.js';
import { backgroundTasks, GatewayModule } from '../src/gateway.module.js';
import { HttpServer } from '../src/http/http-server.js';
import { minuteOf } from '../src/http/rate-limiter.js';
import { openRedisLine, type RedisLine } from './redis-line.js';

/** The gateway on real servers, with a fake of issuing that returns example documents. */
export interface GatewayUnderTest extends ServiceUnderTest<GatewayTables> {
  readonly redisLine: RedisLine;
  readonly config: GatewayConfig;
  /** How often each command reached Redis since the last call, by name. */
  commandsInRedis(): Promise<Record<string, number>>;
  /** The count of a key in Redis, in this minute. */
  countedInRedis(keyId: string): Promise<number>;
  readonly origin: string;
  readonly clock: { now: Date };
  /** The requests that issuing received. */
  readonly issued: RequestOf<typeof issueDocument>[];
  /** The fake of issuing; a test may replace it. */
  issue: (request: RequestOf<typeof issueDocument>) => Promise<ReplyOf<typeof issueDocument>>;
  /** Creates a business and a key of it. */
  caller(options?: CallerOptions): Promise<Caller>;
  /** Sends an HTTP request; a body that is an object is sent as JSON. */
  http(path: string, options?: HttpOptions): Promise<HttpAnswer>;
  /** Starts another gateway on the same database, NATS, Redis and clock; it is stopped with this one. */
  startAnother(change?: Partial<GatewayConfig>): Promise<AnotherGateway>;
  /** POST /documents with a valid body. */
  post(key: string, options?: HttpOptions & { idempotencyKey?: string }): Promise<HttpAnswer>;
}

/** A gateway beside the one under test. */
export type AnotherGateway = Pick<GatewayUnderTest, 'origin' | 'http' | 'service'>;

export interface CallerOptions {
  business?: BusinessChange;
  key?: Partial<RequestOf<typeof createKey>>;
}

export interface Caller {
  business: Business;
  key: ReplyOf<typeof createKey>;
}

export interface HttpOptions {
  method?: string;
  key?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at members of any answer.
  json: any;
  text: string;
}

export const quote = (change: Partial<CreateDocument> = {}): CreateDocument => ({
  type: 'quote',
  customer: { name: 'לקוח לדוגמה' },
  items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
  ...change,
});

/** The reply of issuing for an example document of this business. */
export function issuedReply(
  request: Pick<RequestOf<typeof issueDocument>, 'business'>,
): ReplyOf<typeof issueDocument> {
  return {
    document: exampleDocument({ business_id: request.business.id }),
    state: { status: 'open', paid: 0, allocation_number: '123456789', cancelled_at: null },
    allocation: { status: 'issued', number: '123456789', reason: null },
    delivery: { status: 'queued', channel: 'email', scheduled_for: null },
    replayed: false,
  };
}

/** Sends HTTP requests to one gateway. */
export function httpTo(origin: string): GatewayUnderTest['http'] {
  return async (path, options = {}) => {
    const { key, body } = options;
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${origin}${path}`, {
      method: options.method ?? 'GET',
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as string }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
}

export async function startGateway(): Promise<GatewayUnderTest> {
  const clock = { now: new Date('2026-06-15T08:00:10Z') };
  const redis = await startTestRedis();
  const redisLine = await openRedisLine(redis.url);
  const redisClient = new Redis(redis.url);
  const service = {
    name: 'gateway',
    module: GatewayModule,
    backgroundTasks,
    clock: { now: () => clock.now },
  } as const;
  const own: Omit<GatewayConfig, keyof ServiceConfig> = {
    httpHost: '127.0.0.1',
    httpPort: 0,
    shutdownDelayMs: 0,
    trustedProxies: '127.0.0.1',
    redisUrl: redisLine.url,
    apiKeyPepper: randomBytes(32),
    previousApiKeyPepper: null,
    baseUrl: 'https://api.example.com/v1',
    viewUrlBase: 'https://api.example.com/d',
    pdfUrlBase: 'https://api.example.com/pdf',
    docsUrl: 'https://api.example.com/docs',
    paymentUrl: 'https://example.com/pay',
  };
  const tested = await startServiceUnderTest<GatewayTables, GatewayConfig>({
    service,
    migrations,
    config: own,
  });
  const config: GatewayConfig = {
    ...serviceConfig({ natsUrl: tested.nats.url, databaseUrl: tested.database.url }),
    ...own,
  };
  const { network } = tested;
  const originOf = (running: RunningService) => running.app.get(HttpServer, { strict: false }).origin;
  const origin = originOf(tested.service);
  const http = httpTo(origin);
  const others: RunningService[] = [];
  const made: GatewayUnderTest = {
    ...tested,
    redisLine,
    config,
    commandsInRedis: async () => {
      const calls = [
        ...(await redisClient.info('commandstats')).matchAll(/^cmdstat_(\w+):calls=(\d+)/gm),
      ].map(([, name, count]) => [name, Number(count)]);
      await redisClient.config('RESETSTAT');
      return Object.fromEntries(calls);
    },
    countedInRedis: async (keyId) =>
      Number(await redisClient.get(`pinkas:requests:key:${keyId}:${minuteOf(clock.now)}`)),
    origin,
    clock,
    issued: [],
    issue: async (request) => issuedReply(request),
    http,
    startAnother: async (change = {}) => {
      const other = await startService({ ...service, config: { ...config, ...change } });
      others.push(other);
      return { origin: originOf(other), http: httpTo(originOf(other)), service: other };
    },
    post: (key, { idempotencyKey = randomUUID(), ...options } = {}) =>
      http('/v1/documents', {
        method: 'POST',
        key,
        body: quote(),
        ...options,
        headers: {
          ...(idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey }),
          ...options.headers,
        },
      }),
    caller: async (options = {}) => {
      const { business } = await network.call(createBusiness, {
        business: { ...demoBusiness, ...options.business },
      });
      return { business, key: await network.call(createKey, { business_id: business.id, ...options.key }) };
    },
    stop: async () => {
      await Promise.all(others.map((other) => other.stop()));
      await tested.stop();
      redisClient.disconnect();
      await redisLine.close();
      await redis.stop();
    },
  };
  network.answer(issueDocument, (request) => {
    made.issued.push(request);
    return made.issue(request);
  });
  network.answer(getUsage, () => ({ used_today: 7 }));
  return made;
}

const checkError = compile(ErrorBody);

/** @returns the code of an error object. @throws where a member or header that every error response has is missing. */
export function errorCodeOf(answer: HttpAnswer): string {
  const checked = checkError(answer.json);
  if (!checked.ok) {
    throw new Error(`no error object: ${answer.status} ${answer.text} ${JSON.stringify(checked.errors)}`);
  }
  const { error, request_id: requestId } = checked.value;
  if (answer.headers.get('x-request-id') !== requestId) {
    throw new Error('X-Request-Id is not the request_id');
  }
  if (error.doc_url !== `https://api.example.com/docs/errors#${error.code}`) {
    throw new Error(error.doc_url);
  }
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    if (!/^\d+$/.test(answer.headers.get(name) ?? '')) {
      throw new Error(`${name} is missing`);
    }
  }
  return error.code;
}
