import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
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
import { type RunningService } from '@pinkas/service-kit';
import {
  demoBusiness,
  exampleDocument,
  ServiceUnderTest,
  startServiceUnderTest,
  startTestRedis,
  type TestServer,
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
export class GatewayUnderTest extends ServiceUnderTest<GatewayTables, GatewayConfig> {
  redisLine!: RedisLine;
  redis!: TestServer;
  #redisClient: Redis | undefined;
  readonly origin: string = originOf(this.service);
  /** Sends an HTTP request; a body that is an object is sent as JSON. */
  readonly http: HttpClient = httpTo(this.origin);
  /** The requests that issuing received. */
  readonly issued: RequestOf<typeof issueDocument>[] = [];

  /** The fake of issuing; a test may replace it. */
  issue: (request: RequestOf<typeof issueDocument>) => Promise<ReplyOf<typeof issueDocument>> = async (
    request,
  ) => issuedReply(request);

  get #commands(): Redis {
    this.#redisClient ??= new Redis(this.redis.url);
    return this.#redisClient;
  }

  /** How often each command reached Redis since the last call, by name. */
  async commandsInRedis(): Promise<Record<string, number>> {
    const calls = [
      ...(await this.#commands.info('commandstats')).matchAll(/^cmdstat_(\w+):calls=(\d+)/gm),
    ].map(([, name, count]) => [name, Number(count)]);
    await this.#commands.config('RESETSTAT');
    return Object.fromEntries(calls);
  }

  /** The count of a key in Redis, in this minute. */
  async countedInRedis(keyId: string): Promise<number> {
    return Number(await this.#commands.get(`pinkas:requests:key:${keyId}:${minuteOf(this.clock.now)}`));
  }

  /** Starts another gateway on the same database, NATS, Redis and clock; it is stopped with this one. */
  async startAnotherGateway(change: Partial<GatewayConfig> = {}): Promise<AnotherGateway> {
    const service = await this.startAnother(change);
    const origin = originOf(service);
    return { origin, http: httpTo(origin), service };
  }

  /** POST /documents with a valid body. */
  post(
    key: string,
    { idempotencyKey = randomUUID(), ...options }: HttpOptions & { idempotencyKey?: string } = {},
  ): Promise<HttpAnswer> {
    return this.http('/v1/documents', {
      method: 'POST',
      key,
      body: quote(),
      ...options,
      headers: {
        ...(idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey }),
        ...options.headers,
      },
    });
  }

  /** Creates a business and a key of it. */
  async caller(options: CallerOptions = {}): Promise<Caller> {
    const { business } = await this.network.call(createBusiness, {
      business: { ...demoBusiness, ...options.business },
    });
    const key = await this.network.call(createKey, { business_id: business.id, ...options.key });
    return { business, key };
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.#redisClient?.disconnect();
    await this.redisLine.close();
    await this.redis.stop();
  }
}

const originOf = (running: RunningService) => running.app.get(HttpServer, { strict: false }).origin;

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

type HttpClient = (path: string, options?: HttpOptions) => Promise<HttpAnswer>;

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
export function httpTo(origin: string): HttpClient {
  return async (path, options = {}) => {
    const { key, body } = options;
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${origin}${path}`, {
      method: options.method ?? 'GET',
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
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
  const redis = await startTestRedis();
  const redisLine = await openRedisLine(redis.url);
  const gateway = await startServiceUnderTest(GatewayUnderTest, {
    service: { name: 'gateway', module: GatewayModule, backgroundTasks },
    clock: { now: new Date('2026-06-15T08:00:10Z') },
    migrations,
    config: {
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
    },
  });
  Object.assign(gateway, { redis, redisLine });
  gateway.network.answer(issueDocument, (request) => {
    gateway.issued.push(request);
    return gateway.issue(request);
  });
  gateway.network.answer(getUsage, () => ({ used_today: 7 }));
  return gateway;
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

/** The paths of the errors of a call that is refused as invalid. */
export async function errorPathsOf(work: Promise<unknown>): Promise<string[] | undefined> {
  const apiError = await work.then(
    () => undefined,
    (error: { code: string; details: { errors: { path: string }[] } }) => error,
  );
  expect(apiError?.code).toBe('validation_error');
  return apiError?.details.errors.map((error) => error.path).sort();
}
