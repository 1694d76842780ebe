import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chromiumPdf as pdf } from '@pinkas/testkit/pdf';
import { GotenbergClient } from '../src/print/gotenberg-client.js';
import { loadTypeface } from '../src/typeface/typeface.js';

const nonce = '4b7d8d5e-1f0a-4a57-9d8a-2f6f3f0b1c11';

describe('GotenbergClient', () => {
  let server: Server;
  let gotenberg: GotenbergClient;
  let answer: (response: ServerResponse, request: IncomingMessage) => void;
  let requests: { url: string | undefined; authorization: string | undefined; body: string }[];
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { authorization } = request.headers;
        requests.push({ url: request.url, authorization, body: Buffer.concat(chunks).toString('latin1') });
        answer(response, request);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    gotenberg = new GotenbergClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2);
  });
  afterEach(async () => {
    gotenberg.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const page = { html: '<!doctype html>page', fonts: loadTypeface().filesFor('שלום') };
  const render = (timeoutMs = 5_000) => gotenberg.render(page, nonce, performance.now() + timeoutMs);

  it('GotenbergClient sends the page with its fonts and returns its PDF', async () => {
    answer = (response) => response.end(pdf(nonce));
    expect((await render()).pages).toEqual([2, 3]);
    expect(requests[0]?.url).toBe('/forms/chromium/convert/html');
    for (const part of [
      '<!doctype html>page',
      'name="preferCssPageSize"',
      'name="generateTaggedPdf"',
      'filename="heebo-400.woff2"',
      'filename="heebo-700.woff2"',
    ]) {
      expect(requests[0]?.body).toContain(part);
    }
    expect(requests[0]?.body).not.toContain('rubik');
  });

  it.each<[string, Buffer, string]>([
    ['no PDF', Buffer.from('<html>Welcome to the proxy</html>'), 'no PDF'],
    ['cut short', pdf(nonce).subarray(0, -6), 'cut short'],
    ['of another document', pdf('8d3f1c52-0000-4000-8000-000000000000'), 'another document'],
    ['empty', Buffer.alloc(0), 'empty'],
    ['without its middle', Buffer.concat([pdf(nonce).subarray(0, 300), pdf(nonce).subarray(310)]), 'damaged'],
    ['too large', Buffer.concat([pdf(nonce), Buffer.alloc(24 * 1024 * 1024)]), 'larger'],
  ])('GotenbergClient rejects a PDF that is %s', async (_what, body, words) => {
    answer = (response) => response.end(body);
    await expect(render()).rejects.toThrow(words);
  });

  it('GotenbergClient throws an error with the status of the response', async () => {
    answer = (response) => response.writeHead(503).end('Service Unavailable');
    await expect(render()).rejects.toThrow('503');
    expect(requests).toHaveLength(1);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['nothing comes', () => {}],
    ['a PDF stops half-way', (response) => response.write('%PDF-1.4')],
    ['a refusal stops half-way', (response) => response.writeHead(500).write('Internal')],
  ])('GotenbergClient waits no longer than its deadline: %s', async (_what, hang) => {
    answer = hang;
    await expect(render(200)).rejects.toThrow();
  });

  it('GotenbergClient sends the page again when the connection was closed under the request', async () => {
    answer = (response, request) => {
      if (requests.length === 1) {
        request.socket.destroy();
      } else {
        response.end(pdf(nonce));
      }
    };
    expect((await render()).pages).toEqual([2, 3]);
    expect(requests).toHaveLength(2);
  });

  it('GotenbergClient does not send a page a third time', async () => {
    answer = (_response, request) => request.socket.destroy();
    await expect(render()).rejects.toThrow();
    expect(requests).toHaveLength(2);
  });

  describe('with a password in the address', () => {
    let guarded: GotenbergClient;
    beforeEach(() => {
      const { port } = server.address() as AddressInfo;
      guarded = new GotenbergClient(`http://rendering:p%40ss@127.0.0.1:${port}`, 2);
    });
    afterEach(() => guarded.close());

    it('GotenbergClient sends the user and password of the address with a page', async () => {
      answer = (response) => response.end(pdf(nonce));
      await guarded.render(page, nonce, performance.now() + 5_000);
      const basic = Buffer.from('rendering:p@ss').toString('base64');
      expect(requests[0]?.authorization).toBe(`Basic ${basic}`);
    });

    it('isHealthy sends no password', async () => {
      answer = (response) => response.end('{"status":"up"}');
      await expect(guarded.isHealthy()).resolves.toBe(true);
      expect(requests).toMatchObject([{ url: '/health', authorization: undefined }]);
    });

    it('an error of GotenbergClient does not contain the password', async () => {
      const secrets = ['p%40ss', 'p@ss', Buffer.from('rendering:p@ss').toString('base64')];
      const failures: ((response: ServerResponse, request: IncomingMessage) => void)[] = [
        (response) => response.writeHead(401).end('Unauthorized'),
        (_response, request) => request.socket.destroy(),
      ];
      for (const failure of failures) {
        answer = failure;
        const error: unknown = await guarded
          .render(page, nonce, performance.now() + 5_000)
          .catch((rejection: unknown) => rejection);
        expect(error).toMatchObject({ message: expect.any(String) });
        const shown = inspect(error, { depth: null, showHidden: true });
        expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
      }
    });
  });

  it('isHealthy reports whether Gotenberg is up', async () => {
    answer = (response) => response.end('{"status":"up"}');
    await expect(gotenberg.isHealthy()).resolves.toBe(true);
    answer = (response) => response.writeHead(503).end();
    await expect(gotenberg.isHealthy()).resolves.toBe(false);
  });
});
