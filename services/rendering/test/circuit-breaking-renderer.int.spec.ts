import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { chromiumPdf } from '@pinkas/testkit/pdf';
import { CircuitBreakingRenderer } from '../src/print/circuit-breaking-renderer.js';
import { GotenbergClient } from '../src/print/gotenberg-client.js';

const circuitOpen = 'circuit of the renderer is open';

describe('CircuitBreakingRenderer', () => {
  let server: Server;
  let renderer: CircuitBreakingRenderer;
  let answer: (response: ServerResponse, title: string) => void;
  let pages: number;
  const works = (response: ServerResponse, title: string) => response.end(chromiumPdf(title));
  beforeEach(async () => {
    pages = 0;
    answer = works;
    server = createServer((request, response) => {
      if (request.url === '/health') {
        return response.end('{"status":"up"}');
      }
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
    renderer = new CircuitBreakingRenderer(
      new GotenbergClient(url, 2),
      { concurrency: 2, queueMax: 16, healthyRenderMs: 100 },
      createLogger('rendering', 'silent'),
    );
  });
  afterEach(async () => {
    renderer.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const render = (timeoutMs = 5_000) =>
    renderer.render(
      { html: '<!doctype html><title>page</title>', fonts: [] },
      'page',
      performance.now() + timeoutMs,
      'business',
    );
  const failed = async (times: number, timeoutMs?: number) => {
    for (let time = 0; time < times; time += 1) {
      await expect(render(timeoutMs)).rejects.toThrow();
    }
  };

  it.each<[string, (response: ServerResponse) => void]>([
    ['answers 503', (response) => response.writeHead(503).end()],
    ['answers something other than a PDF', (response) => response.end('<html>')],
    ['closes the connection', (response) => response.destroy()],
    ['hangs', () => {}],
  ])(
    'the circuit opens after some failures in a row, says so, and closes automatically when Gotenberg %s',
    async (_how, fails) => {
      answer = fails;
      await eventually('the circuit is open', async () => {
        await failed(1, 500);
        return renderer.isOpen;
      });
      await expect(render()).rejects.toThrow(circuitOpen);
      expect(await renderer.unavailableReason()).toContain(circuitOpen);
      answer = works;
      await eventually(
        'the circuit is closed again',
        async () => (await renderer.unavailableReason()) === null,
      );
      expect((await render()).pages).toHaveLength(2);
    },
  );

  it('the circuit stays open while its probes fail', async () => {
    answer = (response) => response.writeHead(503).end();
    await failed(5);
    const before = pages;
    await eventually('two probes were sent', () => pages > before + 1);
    expect(await renderer.unavailableReason()).toContain(circuitOpen);
    await expect(render()).rejects.toThrow(circuitOpen);
    answer = works;
    await eventually(
      'the circuit is closed again',
      async () => (await renderer.unavailableReason()) === null,
    );
  });

  it('failures with successes between them do not open the circuit', async () => {
    for (let round = 0; round < 3; round += 1) {
      answer = (response) => response.writeHead(503).end();
      await failed(4);
      answer = works;
      await render();
    }
    expect(await renderer.unavailableReason()).toBeNull();
  });

  it('rejected pages do not open the circuit', async () => {
    for (const status of [400, 409]) {
      answer = (response) => response.writeHead(status).end('Invalid form data');
      await failed(8);
    }
    expect(await renderer.unavailableReason()).toBeNull();
  });

  it('pages that fail for what they hold do not open the circuit', async () => {
    answer = (response, title) =>
      title === 'page' ? response.writeHead(500).end('Internal Server Error') : works(response, title);
    await failed(8);
    expect(renderer.isOpen).toBe(false);
    answer = works;
    await expect(render()).resolves.toBeDefined();
  });

  it('pages whose PDF is too large do not open the circuit, and no self-test follows them', async () => {
    const large = Buffer.alloc(25 * 1024 * 1024);
    answer = (response) => response.end(large);
    await failed(6);
    expect(pages).toBe(6);
    expect(renderer.isOpen).toBe(false);
  });

  it('pages with little time left do not open the circuit', async () => {
    answer = () => {};
    await eventually('eight pages have arrived', async () => {
      await failed(1, 50);
      return pages >= 8;
    });
    expect(await renderer.unavailableReason()).toBeNull();
  });

  it('queued pages fail at once when the circuit opens', async () => {
    answer = (response) => response.writeHead(503).end();
    const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => render()));
    const words = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? String(outcome.reason) : 'rendered',
    );
    expect(words.filter((text) => text.includes(circuitOpen)).length).toBeGreaterThan(8);
    // Six pages, two at a time, and a self-test for each two.
    expect(pages).toBeLessThan(10);
  });
});
