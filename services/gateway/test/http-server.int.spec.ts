import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createKey } from '@pinkas/contracts';
import { eventually, scrape } from '@pinkas/testkit';
import { errorCodeOf, type GatewayUnderTest, issuedReply, quote, startGateway } from './gateway.js';

describe('HttpServer', () => {
  let gateway: GatewayUnderTest;
  let key: string;
  let otherKey: string;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    const { business, key: made } = await gateway.caller();
    key = made.key;
    otherKey = (await gateway.network.call(createKey, { business_id: business.id })).key;
  });

  /** Sends bytes as they are, and reads until the server closes. */
  const sendBytes = (bytes: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1', () => socket.write(bytes));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('error', () => {});
      socket.once('close', () => resolve(text));
    });

  describe('bodies', () => {
    /** A valid body of exactly this size. */
    const paddedTo = (bytes: number) => {
      const body = JSON.stringify(quote());
      return `${body}${' '.repeat(bytes - Buffer.byteLength(body))}`;
    };

    /** Sends a body in pieces, without a Content-Length. */
    const sendChunked = (pieces: readonly string[]) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const sending = request(
          `${gateway.origin}/v1/documents`,
          {
            method: 'POST',
            timeout: 60_000,
            headers: {
              authorization: `Bearer ${key}`,
              'content-type': 'application/json',
              'idempotency-key': 'chunked',
            },
          },
          (response) => {
            let text = '';
            response.on('data', (chunk: Buffer) => {
              text += chunk.toString();
            });
            response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
          },
        );
        sending.once('error', reject);
        for (const piece of pieces) {
          sending.write(piece);
        }
        sending.end();
      });

    it('a body that is too large is rejected before all of it has arrived', async () => {
      const tooLarge = await sendChunked(Array.from({ length: 40 }, () => paddedTo(65_536)));
      expect(tooLarge.status).toBe(413);
    });

    it('a malformed Content-Type is rejected at its place in the order of checks', async () => {
      const headers = { 'content-type': 'json' };
      expect(errorCodeOf(await gateway.post(key, { headers }))).toBe('invalid_json');
      expect(errorCodeOf(await gateway.post(key, { headers, idempotencyKey: '' }))).toBe(
        'missing_idempotency_key',
      );
      const unknown = { method: 'POST', body: 'x', headers: { 'content-type': ';;;' } };
      expect(errorCodeOf(await gateway.http('/v1/nothing', unknown))).toBe('not_found');
    });
  });

  describe('unusual requests', () => {
    const expectMalformed = (answer: string, path = '') => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      const headers = new Headers(
        head
          .split('\r\n')
          .slice(1)
          .map((line) => line.split(': ') as [string, string]),
      );
      const json = JSON.parse(body);
      expect(errorCodeOf({ status: 400, headers, json, text: body })).toBe('validation_error');
      expect(json.error.details.errors).toMatchObject([{ path }]);
      expect([headers.get('connection'), headers.get('ratelimit-limit')]).toEqual(['close', '60']);
    };

    it('a request whose headers never end is answered with an error object, and its connection is closed', async () => {
      expectMalformed(await sendBytes('GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: '));
    });

    it.each([
      ['bytes that are no HTTP', 'hello\r\n\r\n'],
      ['a path that is not percent-encoded', 'GET /v1/customers?q=שלום HTTP/1.1\r\nHost: x\r\n\r\n'],
      [
        'headers that are too long',
        `GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      ],
    ])('%s are answered with an error object and all response headers', async (_name, bytes) => {
      expectMalformed(await sendBytes(bytes));
    });

    it.each([
      ['two lengths', 'Content-Length: 2\r\nContent-Length: 3', '/headers/Content-Length'],
      ['one length twice', 'Content-Length: 2\r\nContent-Length: 2', '/headers/Content-Length'],
      [
        'an encoding twice',
        'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
        '/headers/Transfer-Encoding',
      ],
      ['a folded header', 'Idempotency-Key: a\r\n b', ''],
    ])(
      'a request with %s is answered with an error object that names the header',
      async (_name, lines, path) => {
        expectMalformed(
          await sendBytes(`POST /v1/documents HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n{}`),
          path,
        );
      },
    );

    it.each([
      ['with an unknown Expect', `GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n`, 401],
      ['without a Host', 'GET /v1/me HTTP/1.1\r\n', 401],
      ['with an uncommon method', 'QUERY /v1/me HTTP/1.1\r\nHost: x\r\n', 404],
      ['for a tunnel', 'CONNECT /v1/me HTTP/1.1\r\nHost: x\r\n', 404],
    ])('a request %s is answered like any other', async (_name, head, status) => {
      const [answer = '', body = ''] = (await sendBytes(`${head}Connection: close\r\n\r\n`)).split(
        '\r\n\r\n',
      );
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).toMatch(/^ratelimit-remaining: \d+$/im);
      expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
      expect(JSON.parse(body).error.code).toBe(status === 401 ? 'unauthorized' : 'not_found');
    });
  });

  it('a connection that asked for a tunnel ends, although its client keeps its side open', async () => {
    const { port } = new URL(gateway.origin);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    socket.write('CONNECT /v1/me HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await once(socket, 'end');
    expect(socket.destroyed).toBe(false);
    await eventually('its server has ended it', () => {
      socket.write('x');
      return socket.destroyed;
    });
  });

  describe('keys', () => {
    /** GET /v1/me with header lines exactly as they are written. */
    const meWith = (lines: string) =>
      sendBytes(`GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n\r\n`);

    it.each([
      ['in both headers', () => `Authorization: Bearer ${key}\r\nX-Api-Key: ${key}`],
      // White space around a header is no part of it (RFC 9110, section 5.5).
      ['with white space after the header', () => `Authorization: Bearer ${key} \t`],
      ['in two equal lines', () => `Authorization: Bearer ${key}\r\nAUTHORIZATION: Bearer ${key}`],
      ['next to the Basic credentials of a proxy', () => `Authorization: Basic eDp4\r\nX-Api-Key: ${key}`],
    ])('a key %s is accepted', async (_name, lines) => {
      expect(await meWith(lines())).toMatch(/^HTTP\/1\.1 200 /);
    });

    it.each([
      ['next to a different X-Api-Key', () => `Authorization: Bearer ${key}\r\nX-Api-Key: ${otherKey}`],
      ['next to an Authorization of another scheme', () => `Authorization: Digest x\r\nX-Api-Key: ${key}`],
      [
        'next to another Authorization',
        () => `Authorization: Bearer ${key}\r\nAuthorization: Bearer ${otherKey}`,
      ],
      ['next to another X-Api-Key', () => `X-Api-Key: ${key}\r\nX-Api-Key: ${otherKey}`],
      ['with a comma and a second key', () => `Authorization: Bearer ${key}, Bearer ${otherKey}`],
      ['with 10 KB after it', () => `Authorization: Bearer ${key}${'x'.repeat(10_240)}`],
      ['with a Hebrew letter', () => `Authorization: Bearer ${key}א`],
      ['with a no-break space', () => `X-Api-Key: ${key}\u00a0`],
      ['with another last character', () => `X-Api-Key: ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`],
    ])('a key %s is unauthorized', async (_name, lines) => {
      const [head = '', body = ''] = (await meWith(lines())).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 401 /);
      expect(JSON.parse(body).error.code).toBe('unauthorized');
    });
  });

  describe('metrics', () => {
    const requests = (method: string, route: string, status: number) =>
      `pinkas_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
    /** The end of a response is counted after its caller has it. */
    const untilGrown = (before: Map<string, number>, sample: string, by: number) =>
      eventually(
        `${sample} grows by ${by}`,
        async () => ((await scrape(gateway.service)).get(sample) ?? 0) - (before.get(sample) ?? 0) === by,
      );

    it('requests are counted by method, route and status, without ids', async () => {
      const before = await scrape(gateway.service);
      const { id } = (await gateway.post(key)).json;
      await gateway.post('pk_live_wrong');
      await gateway.http(`/v1/documents/${id}`, { key });
      await untilGrown(before, requests('POST', '/v1/documents', 201), 1);
      await untilGrown(before, requests('POST', '/v1/documents', 401), 1);
      const durations = 'pinkas_http_request_duration_seconds_count{method="POST",route="/v1/documents"}';
      await untilGrown(before, durations, 2);
      const samples = await scrape(gateway.service);
      expect([...samples.keys()].some((name) => name.includes('route="/v1/documents/:id"'))).toBe(true);
      expect([...samples.keys()].filter((name) => name.includes(id))).toEqual([]);
      expect(samples.get('pinkas_http_requests_in_flight')).toBe(0);
    });

    it('unknown paths share one label, and so do unknown methods', async () => {
      const before = await scrape(gateway.service);
      const paths = Array.from({ length: 5 }, () => `/${randomUUID()}`);
      await Promise.all(paths.map((path) => gateway.http(path)));
      await Promise.all(['BREW', 'QUERY', 'PROPFIND'].map((method) => gateway.http('/nowhere', { method })));
      await untilGrown(before, requests('GET', 'unknown', 404), 5);
      const names = [...(await scrape(gateway.service)).keys()].filter((name) =>
        name.startsWith('pinkas_http'),
      );
      expect(names.filter((name) => paths.some((path) => name.includes(path.slice(1))))).toEqual([]);
      expect(names.filter((name) => /BREW|QUERY|PROPFIND|nowhere/.test(name))).toEqual([]);
    });
  });

  describe('unreachable services', () => {
    it('a service that does not listen is an engine_error at once, as JSON and as a page', async () => {
      const answer = await gateway.http(`/v1/documents/${randomUUID()}`, { key });
      expect([answer.status, errorCodeOf(answer), answer.json.error.retryable]).toEqual([
        502,
        'engine_error',
        true,
      ]);
      const page = await gateway.http('/d/abc');
      expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    });
  });

  // Last: the second test stops the gateway.
  describe('shutdown', () => {
    it('a gateway listens for its shutdown delay, not ready, and closes each connection with its response', async () => {
      const other = await gateway.startAnotherGateway({ shutdownDelayMs: 8_000 });
      const getMe = () => other.http('/v1/me', { key });
      expect((await getMe()).headers.get('connection')).toBe('keep-alive');
      const stopped = other.service.stop();
      const ready = await fetch(`http://127.0.0.1:${other.service.healthPort}/readyz`);
      expect(ready.status).toBe(503);
      // Over the open connection, and over a new one.
      for (const answer of [await getMe(), await getMe()]) {
        expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
      }
      await stopped;
      await expect(getMe()).rejects.toThrow();
    });

    it('a gateway that stops answers the requests in flight and accepts no new ones', async () => {
      let release = () => {};
      let arrive = () => {};
      const inFlight = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      gateway.issue = async (request) => {
        arrive();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return issuedReply(request);
      };
      const answer = gateway.post(key);
      await inFlight;
      const stopped = gateway.service.stop();
      await expect(gateway.http('/v1/me', { key })).rejects.toThrow();
      release();
      expect((await answer).status).toBe(201);
      expect((await answer).headers.get('connection')).toBe('close');
      await stopped;
    });
  });
});
