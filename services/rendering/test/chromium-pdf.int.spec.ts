import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChromiumPdf } from '../src/artifact/chromium-pdf.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { chromiumAnswer as pdf } from './chromium-answer.js';

const nonce = '4b7d8d5e-1f0a-4a57-9d8a-2f6f3f0b1c11';

/** A printer that lies, fails and hangs. */
describe('an answer of the printer', () => {
  let server: Server;
  let printer: ChromiumPdf;
  let answer: (response: ServerResponse, request: IncomingMessage) => void;
  let requests: { url: string | undefined; body: string }[];
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        requests.push({ url: request.url, body: Buffer.concat(chunks).toString('latin1') });
        answer(response, request);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    printer = new ChromiumPdf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2);
  });
  afterEach(async () => {
    printer.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const page = { html: '<!doctype html>page', fonts: loadTypeface().filesFor('שלום') };
  const print = (timeoutMs = 5_000) => printer.print(page, nonce, Date.now() + timeoutMs);

  it('is taken when it is the PDF that was asked for', async () => {
    answer = (response) => response.end(pdf(nonce));
    expect((await print()).pages).toEqual([2, 3]);
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
    ['too large', Buffer.concat([pdf(nonce), Buffer.alloc(2 * 1024 * 1024)]), 'larger'],
  ])('is refused when it is %s', async (_what, body, words) => {
    answer = (response) => response.end(body);
    await expect(print()).rejects.toThrow(words);
  });

  it('is refused when it is an error, with its status', async () => {
    answer = (response) => response.writeHead(503).end('Service Unavailable');
    await expect(print()).rejects.toThrow('503');
    expect(requests).toHaveLength(1);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['nothing comes', () => {}],
    ['a PDF stops half-way', (response) => response.write('%PDF-1.4')],
    ['a refusal stops half-way', (response) => response.writeHead(500).write('Internal')],
  ])('is waited for no longer than its time: %s', async (_what, hang) => {
    answer = hang;
    await expect(print(200)).rejects.toThrow();
  });

  it('is asked for once more when the connection was closed under the request', async () => {
    answer = (response, request) => {
      if (requests.length === 1) request.socket.destroy();
      else response.end(pdf(nonce));
    };
    expect((await print()).pages).toEqual([2, 3]);
    expect(requests).toHaveLength(2);
  });

  it('is not asked for a third time', async () => {
    answer = (_response, request) => request.socket.destroy();
    await expect(print()).rejects.toThrow();
    expect(requests).toHaveLength(2);
  });

  it('tells whether it is up', async () => {
    answer = (response) => response.end('{"status":"up"}');
    await expect(printer.answers()).resolves.toBe(true);
    answer = (response) => response.writeHead(503).end();
    await expect(printer.answers()).resolves.toBe(false);
  });
});
