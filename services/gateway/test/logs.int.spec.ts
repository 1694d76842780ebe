import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cancelDocument, getDocument, listDocuments, searchCustomers } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { type GatewayUnderTest, httpTo, quote, startGateway } from './gateway.js';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Part of every text that a caller sends. */
const mark = 'zzprivatezz';

describe('the gateway log', () => {
  let gateway: GatewayUnderTest;
  let child: ChildProcess;
  const lines: string[] = [];
  let http: ReturnType<typeof httpTo>;

  beforeAll(async () => {
    gateway = await startGateway();
    const { config } = gateway;
    child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        PRODUCTION: 'false',
        NATS_URL: config.natsUrl,
        DATABASE_URL: config.databaseUrl,
        REDIS_URL: config.redisUrl,
        API_KEY_PEPPER: config.apiKeyPepper.toString('hex'),
        HTTP_PORT: '0',
        HEALTH_PORT: '0',
        TRUSTED_PROXIES: '127.0.0.9',
        BASE_URL: config.baseUrl,
        VIEW_URL_BASE: config.viewUrlBase,
        PDF_URL_BASE: config.pdfUrlBase,
        DOCS_URL: config.docsUrl,
        PAYMENT_URL: config.paymentUrl,
        LOG_LEVEL: 'trace',
      },
    });
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
    const origin = await eventually('the gateway listens', () =>
      lines.map((line) => JSON.parse(line).origin as string | undefined).find(Boolean),
    );
    http = httpTo(origin);
  });
  afterAll(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    await gateway.stop();
  });

  it('each request has one log line, and no line contains what a caller sent', async () => {
    const { key } = (await gateway.caller({ key: { per_minute: 1_000 } })).key;
    const secret = key.slice(key.lastIndexOf('_') + 1);
    const id = '5f1d7c1e-0000-4000-8000-000000000001';
    const address = '203.0.113.77';
    const headers = {
      'x-forwarded-for': address,
      'idempotency-key': mark,
      'x-request-id': mark,
      'user-agent': mark,
      referer: `https://example.com/${mark}`,
    };
    const get = (path: string) => http(path, { key, headers });
    const post = (path: string, body?: unknown, more: Record<string, string> = {}) =>
      http(path, { method: 'POST', key, body, headers: { ...headers, ...more } });
    const good = quote({ notes: mark, customer: { name: mark, email: `${mark}@example.com` } });

    const statuses = [
      await post('/v1/documents', good),
      await post('/v1/documents', { ...good, [mark]: mark, date: mark }),
      await post('/v1/documents', `{"notes": "${mark}`),
      await post('/v1/documents', `{"${mark}": 1, "${mark}": 2}`),
      await post('/v1/documents', good, { 'content-type': `text/${mark}` }),
      await post(`/v1/documents/${id}/cancel`, { reason: mark }),
      await post(`/v1/documents/${id}/cancel?${mark}=${mark}`, `{"reason": "${mark}`),
      await get(`/v1/customers?q=${mark}`),
      await get(`/v1/customers?q=${mark}%00&${mark}=1`),
      await get(`/v1/documents?external_ref=${mark}`),
      await get(`/v1/documents?cursor=${mark}`),
      await get(`/v1/documents/${mark}`),
      await get(`/v1/${mark}?${mark}`),
      await get(`/v1/%zz${mark}`),
      await get(`/v1/errors?${mark}`),
      await get(`/d/${mark}`),
      await http('/v1/me', { key: mark, headers }),
      await http('/v1/me', { headers: { ...headers, 'x-api-key': `${key.slice(0, -1)}_` } }),
    ].map((answer) => answer.status);
    expect(statuses).toEqual([
      201, 400, 400, 400, 400, 502, 502, 502, 400, 502, 400, 404, 404, 404, 400, 502, 401, 401,
    ]);

    // Errors of other services, whatever they contain.
    const ends = [
      gateway.network.answer(searchCustomers, () => {
        throw new Error(mark);
      }),
      gateway.network.answer(listDocuments, () => {
        throw new ApiError('customer_identity_conflict', { details: { existing_customer_id: mark } });
      }),
      gateway.network.answer(cancelDocument, () => {
        throw new ApiError('not_found');
      }),
      gateway.network.answer(getDocument, () => {
        throw new ApiError('not_found');
      }),
    ];
    await gateway.network.connection.flush();
    const failing = [
      await get(`/v1/customers?q=${mark}`),
      await get(`/v1/documents?external_ref=${mark}`),
      await post(`/v1/documents/${id}/cancel`, { reason: mark }),
    ].map((answer) => answer.status);
    for (const end of ends) {
      end();
    }
    expect(failing).toEqual([500, 500, 404]);

    // The counter logs the state of Redis, not the clients it counts.
    gateway.redisLine.cut();
    expect((await get('/v1/document-types')).status).toBe(200);
    expect((await http('/v1/errors', { headers })).status).toBe(200);
    gateway.redisLine.restore();

    await eventually(
      'every request has a log line',
      () => lines.filter((line) => JSON.parse(line).msg === 'request handled').length === 23,
    );
    for (const line of lines) {
      for (const personal of [mark, key, secret, address, 'Bearer', 'example.com/']) {
        expect(line).not.toContain(personal);
      }
    }
    const entries = lines.map((line) => JSON.parse(line));
    const ignored = entries.filter(({ msg }) => msg === 'x-forwarded-for from an untrusted address ignored');
    expect(ignored).toEqual([expect.objectContaining({ level: 'warn', address: '127.0.0.1' })]);
    const requests = entries.filter((line) => line.msg === 'request handled');
    expect(requests[0]).toMatchObject({ method: 'POST', route: '/v1/documents', status: 201 });
    expect(requests[7]).toMatchObject({ route: '/v1/customers', status: 502, code: 'engine_error' });
  });
});
