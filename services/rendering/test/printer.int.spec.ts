import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { ChromiumPdf } from '../src/artifact/chromium-pdf.js';
import { Printer } from '../src/artifact/printer.js';
import { chromiumAnswer } from './chromium-answer.js';

const leftAlone = 'left alone';

describe('a printer that breaks', () => {
  let server: Server;
  let printer: Printer;
  let answer: (response: ServerResponse, title: string) => void;
  let pages: number;
  const works = (response: ServerResponse, title: string) => response.end(chromiumAnswer(title));
  beforeEach(async () => {
    pages = 0;
    answer = works;
    server = createServer((request, response) => {
      if (request.url === '/health') return response.end('{"status":"up"}');
      pages += 1;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const title = /<title>(.*?)<\/title>/.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? '';
        answer(response, title);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    printer = new Printer(
      new ChromiumPdf(url, 2),
      { concurrency: 2, queueMax: 16, soundWithinMs: 100 },
      createLogger('rendering', 'silent'),
    );
  });
  afterEach(async () => {
    printer.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const print = (timeoutMs = 5_000) =>
    printer.print({ html: '<!doctype html><title>page</title>', fonts: [] }, 'page', Date.now() + timeoutMs);
  const failed = async (times: number, timeoutMs?: number) => {
    for (let time = 0; time < times; time += 1) await expect(print(timeoutMs)).rejects.toThrow();
  };

  it.each<[string, (response: ServerResponse) => void]>([
    ['refuses', (response) => response.writeHead(503).end()],
    ['answers what is no PDF', (response) => response.end('<html>')],
    ['closes the connection', (response) => response.destroy()],
    ['hangs', () => {}],
  ])(
    'is left alone after some failures in a row, says so, and comes back by itself: it %s',
    async (_how, fails) => {
      answer = fails;
      await failed(5, 150);
      const asked = pages;
      await expect(print()).rejects.toThrow(leftAlone);
      expect(pages).toBe(asked);
      expect(await printer.fault()).toContain(leftAlone);
      answer = works;
      await eventually('the printer is ready again', async () => (await printer.fault()) === null);
      expect((await print()).pages).toHaveLength(2);
    },
  );

  it('stays alone while what it is tried with fails', async () => {
    answer = (response) => response.writeHead(503).end();
    await failed(5);
    const asked = pages;
    await eventually('it was tried twice', () => pages > asked + 1);
    expect(await printer.fault()).toContain(leftAlone);
    await expect(print()).rejects.toThrow(leftAlone);
    answer = works;
    await eventually('the printer is ready again', async () => (await printer.fault()) === null);
  });

  it('is not left alone for failures between which it prints', async () => {
    for (let round = 0; round < 3; round += 1) {
      answer = (response) => response.writeHead(503).end();
      await failed(4);
      answer = works;
      await print();
    }
    expect(await printer.fault()).toBeNull();
  });

  it('is not left alone for pages that it refuses, as it would again', async () => {
    answer = (response) => response.writeHead(400).end('Invalid form data');
    await failed(8);
    expect(await printer.fault()).toBeNull();
  });

  it('is not left alone for pages whose time was nearly over when they came', async () => {
    answer = () => {};
    await failed(8, 50);
    expect(pages).toBe(8);
    expect(await printer.fault()).toBeNull();
  });

  it('does not hold those in line for their turn to fail', async () => {
    answer = (response) => response.writeHead(503).end();
    const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => print()));
    const words = outcomes.map((one) => (one.status === 'rejected' ? String(one.reason) : 'printed'));
    expect(words.filter((one) => one.includes(leftAlone)).length).toBeGreaterThan(8);
    expect(pages).toBeLessThan(8);
  });
});
