import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyRequest } from 'fastify';
import type { Logger } from '../process/logger.js';
import { acceptsGzip, forClient, matchesEntityTag } from './for-client.js';
import type { HttpReply } from './http-reply.js';
import { RawRequests } from './raw-requests.js';
import { UntrustedProxies } from './untrusted-proxies.js';

describe('UntrustedProxies', () => {
  const logged: string[] = [];
  const logger = { warn: ({ address }: { address: string }) => logged.push(address) } as unknown as Logger;
  const forwarded = { 'x-forwarded-for': '203.0.113.77' };
  beforeEach(() => {
    logged.length = 0;
  });

  /** Sends requests from addresses of this machine to a server that trusts some of them. */
  async function send(
    trustProxy: string[] | false,
    requests: [localAddress: string, headers: Record<string, string>][],
  ) {
    const proxies = new UntrustedProxies(logger);
    const server = fastify({ trustProxy });
    server.addHook('onRequest', async (request) => proxies.check(request));
    server.get('/', async (request) => request.ip);
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    try {
      for (const [localAddress, headers] of requests) {
        const [response] = await once(
          get({ host: '127.0.0.1', port, localAddress, headers, agent: false }),
          'response',
        );
        response.resume();
        await once(response, 'end');
      }
    } finally {
      await server.close();
    }
  }

  it('an untrusted address that sends X-Forwarded-For is logged once', async () => {
    await send(
      ['127.0.0.1'],
      [
        ['127.0.0.2', forwarded],
        ['127.0.0.2', forwarded],
        ['127.0.0.3', forwarded],
      ],
    );
    expect(logged).toEqual(['127.0.0.2', '127.0.0.3']);
  });

  it('every address that sends X-Forwarded-For is logged when no proxy is trusted', async () => {
    await send(false, [['127.0.0.1', forwarded]]);
    expect(logged).toEqual(['127.0.0.1']);
  });

  it('trusted proxies and requests without X-Forwarded-For are not logged', async () => {
    await send(
      ['127.0.0.1'],
      [
        ['127.0.0.1', forwarded],
        ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }],
        ['127.0.0.2', {}],
      ],
    );
    expect(logged).toEqual([]);
  });

  it.each([
    ['::ffff:172.18.0.6', '172.18.0.6'],
    ['fd00::17', 'fd00::17'],
    ['198.51.100.23', '198.51.100.0/24'],
    ['2001:db8:17::5', '2001:db8:17::/48'],
    ['2001:db8::5', '2001:db8:0::/48'],
  ])('the log has only the network of a public address: %s', (remoteAddress, address) => {
    new UntrustedProxies(logger).check({ headers: forwarded, socket: { remoteAddress } });
    expect(logged).toEqual([address]);
  });

  it('the log has at most 100 addresses', () => {
    const proxies = new UntrustedProxies(logger);
    for (let host = 0; host < 200; host += 1) {
      proxies.check({ headers: forwarded, socket: { remoteAddress: `10.0.0.${host}` } });
    }
    expect(logged).toHaveLength(100);
  });
});

describe('acceptsGzip', () => {
  it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8', 'deflate,GZIP;q=1'])(
    'the header %s accepts gzip',
    (header) => {
      expect(acceptsGzip(header)).toBe(true);
    },
  );

  it.each([undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.0', 'x-gzip'])(
    'the header %s does not accept gzip',
    (header) => {
      expect(acceptsGzip(header)).toBe(false);
    },
  );
});

describe('matchesEntityTag', () => {
  it.each(['"a"', 'W/"a"', '"b", "a"', '*'])('If-None-Match: %p matches the entity tag "a"', (header) => {
    expect(matchesEntityTag(header, '"a"')).toBe(true);
    expect(matchesEntityTag(header, 'W/"a"')).toBe(true);
  });
  it.each(['', '"b"', 'a', '"a'])('If-None-Match: %p does not match the entity tag "a"', (header) =>
    expect(matchesEntityTag(header, '"a"')).toBe(false),
  );
});

describe('forClient', () => {
  const page = '<p>שלום</p>'.repeat(500);
  const sent = (asked: Record<string, string>, reply: Partial<HttpReply> = {}) =>
    forClient({ headers: asked } as unknown as FastifyRequest, {
      status: 200,
      headers: { etag: '"a"' },
      body: page,
      compress: true,
      ...reply,
    });
  const gzip = { 'accept-encoding': 'gzip' };

  it.each([
    ['a text', page],
    ['bytes', Buffer.from(page)],
  ])('%s is compressed for a client that accepts it, and comes out as it was', async (_name, original) => {
    const { body, headers } = await sent(gzip, { body: original });
    expect(headers).toEqual({ etag: '"a"', vary: 'accept-encoding', 'content-encoding': 'gzip' });
    expect((body as Buffer).length).toBeLessThan(page.length / 10);
    expect(gunzipSync(body as Buffer).toString()).toBe(page);
  });

  it('bytes that are sent again are compressed once', async () => {
    const body = Buffer.from(page);
    expect((await sent(gzip, { body })).body).toBe((await sent(gzip, { body })).body);
  });

  it('a small page, and one for a client that accepts nothing, is sent as it is, and so is what is not to be compressed', async () => {
    expect((await sent(gzip, { body: 'x' })).body).toBe('x');
    expect((await sent({ 'accept-encoding': 'br' })).body).toBe(page);
    expect(await sent(gzip, { compress: false })).toMatchObject({ headers: { etag: '"a"' }, body: page });
  });

  it('an entity that the client has is answered with 304 and its headers, and no other status is', async () => {
    const known = { 'if-none-match': '"a"' };
    expect(await sent(known)).toMatchObject({ status: 304, headers: { etag: '"a"' }, body: '' });
    expect(await sent(known, { status: 404 })).toMatchObject({ status: 404, body: page });
    expect(await sent(known, { headers: {} })).toMatchObject({ status: 200, body: page });
  });
});

describe('RawRequests', () => {
  it('a reply to a client that has closed its connection fails nothing', async () => {
    const socket = new PassThrough();
    const closed = new Promise<void>((resolve) => {
      const raw = new RawRequests((_request, response) => {
        response.once('close', resolve);
        socket.end(() => response.end('too late'));
      });
      raw.rejectMalformed(new Error('malformed'), socket as unknown as Socket);
    });
    await closed;
    expect(socket.read()).toBeNull();
  });
});
