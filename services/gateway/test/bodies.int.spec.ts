import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorCodeOf, type GatewayUnderTest, quote, startGateway } from './gateway.js';

describe('the body of a request', () => {
  let gateway: GatewayUnderTest;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    key = (await gateway.caller()).key.key;
    gateway.issued.length = 0;
  });

  /** A valid body of exactly so many bytes. */
  const exactly = (bytes: number) => {
    const body = JSON.stringify(quote());
    return `${body}${' '.repeat(bytes - Buffer.byteLength(body))}`;
  };

  /** Sends bytes as they are, and reads until the other side closes. */
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
  const expectRefused = (answer: string) => {
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
    expect(json.error.details.errors).toHaveLength(1);
    expect([headers.get('connection'), headers.get('ratelimit-limit')]).toEqual(['close', '60']);
  };

  /** Sends a body in pieces, without a Content-Length. */
  const chunked = (pieces: readonly string[]) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sending = request(
        `${gateway.origin}/v1/documents`,
        {
          method: 'POST',
          timeout: 20_000,
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
      for (const piece of pieces) sending.write(piece);
      sending.end();
    });

  it('may have 262,144 bytes and not one more, announced or not', async () => {
    expect((await gateway.post(key, { body: exactly(262_144) })).status).toBe(201);
    const over = await gateway.post(key, { body: exactly(262_145) });
    expect([over.status, errorCodeOf(over)]).toEqual([413, 'payload_too_large']);
    const half = exactly(262_144);
    expect((await chunked([half.slice(0, 1000), half.slice(1000)])).status).toBe(201);
    const streamed = await chunked([half, ' ']);
    expect([streamed.status, JSON.parse(streamed.text).error.code]).toEqual([413, 'payload_too_large']);
  });

  it('is refused for its size while it is still on its way', async () => {
    const streamed = await chunked(Array.from({ length: 40 }, () => exactly(65_536)));
    expect(streamed.status).toBe(413);
  });

  it.each([
    ['no content type', { 'content-type': '' }],
    ['a malformed content type', { 'content-type': 'json' }],
    ['another content type', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another character set', { 'content-type': 'application/json; charset=iso-8859-8' }],
  ])('must be application/json: %s is invalid_json', async (_name, headers) => {
    expect(errorCodeOf(await gateway.post(key, { headers }))).toBe('invalid_json');
  });

  it.each([
    ['nothing', ''],
    ['an array', '[]'],
    ['broken JSON', '{"type":'],
    ['a member twice', '{"type":"quote","type":"order"}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('must be a JSON object in UTF-8: %s is invalid_json', async (_name, body) => {
    const answer = await gateway.post(key, { body });
    expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'invalid_json']);
  });

  it('reaches issuing as it was sent, with the key and the settings of the business', async () => {
    const body = quote({ notes: 'שורה\nשנייה 😀', external_ref: 'A-1' });
    const answer = await gateway.post(key, { body, idempotencyKey: 'order-1' });
    expect(answer.status).toBe(201);
    expect(gateway.issued).toHaveLength(1);
    expect(gateway.issued[0]).toMatchObject({
      body,
      idempotency_key: 'order-1',
      business: { name: 'עסק לדוגמה' },
      key: { daily_documents: 300 },
    });
  });

  it('that never comes leaves no connection open for ever', async () => {
    const answer = await sendBytes('GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expectRefused(answer);
  }, 20_000);

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['letters in the address that are not encoded', 'GET /v1/customers?q=שלום HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['headers without end', `GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('with %s is refused with an error object and all headers of the interface', async (_name, bytes) => {
    expectRefused(await sendBytes(bytes));
  });

  it.each([
    ['expects something strange', `GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n`, 401],
    ['names no host', 'GET /v1/me HTTP/1.1\r\n', 401],
    ['has a method that few know', 'QUERY /v1/me HTTP/1.1\r\nHost: x\r\n', 404],
    ['wants a tunnel', 'CONNECT /v1/me HTTP/1.1\r\nHost: x\r\n', 404],
  ])('that %s is answered like any other', async (_name, head, status) => {
    const [answer = '', body = ''] = (await sendBytes(`${head}Connection: close\r\n\r\n`)).split('\r\n\r\n');
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/^ratelimit-remaining: \d+$/im);
    expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
    expect(JSON.parse(body).error.code).toBe(status === 401 ? 'unauthorized' : 'not_found');
  });
});
