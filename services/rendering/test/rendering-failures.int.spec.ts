import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Business, getArtifact, type IssuedDocument, renderArtifact } from '@pinkas/contracts';
import { createLogger } from '@pinkas/service-kit';
import { eventually, type Simulator } from '@pinkas/testkit';
import { chromiumPdf, chromiumPdf as pdf, signatureReport } from '@pinkas/testkit/pdf';
import { sql } from 'kysely';
import { CircuitBreakingRenderer } from '../src/artifact/circuit-breaking-renderer.js';
import { GotenbergClient } from '../src/artifact/gotenberg-client.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { Artifacts } from './artifacts.js';
import { type RenderingUnderTest } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

interface Readiness {
  ready: boolean;
  reasons: string[];
  warnings: string[];
}
const circuitOpen = 'circuit of the renderer is open';
const nonce = '4b7d8d5e-1f0a-4a57-9d8a-2f6f3f0b1c11';

describe('RenderArtifact', () => {
  let artifacts: Artifacts;
  let gotenberg: Simulator;
  let rendering: RenderingUnderTest;
  let business: Business;
  beforeAll(async () => {
    artifacts = await Artifacts.start({ renderTimeoutMs: 4_000, renderConcurrency: 1, renderQueueMax: 1 });
    ({ gotenberg, rendering, business } = artifacts);
  });
  afterAll(() => artifacts?.stop());

  const newDocument = (change: Partial<IssuedDocument> = {}) =>
    sampleDocument('tax_invoice', business, change);
  const render = (document: IssuedDocument, attempt = 1) =>
    rendering.network.call(renderArtifact, { document, business, attempt });
  const keyOf = (document: IssuedDocument) => ({ business_id: business.id, document_id: document.id });
  const get = (document: IssuedDocument) => rendering.network.call(getArtifact, keyOf(document));
  const compareAll = () =>
    rendering.database.db
      .updateTable('artifact_comparison')
      .set({ compared_until: sql<Date>`now()` })
      .execute();

  it('RenderArtifact stores a signed PDF with the hash that it returns', async () => {
    const document = newDocument();
    const made = await render(document);
    expect(made).toMatchObject({ revision: 1 });
    const { pdf, sha256, revision } = await get(document);
    const bytes = Buffer.from(pdf, 'base64');
    expect(revision).toBe(1);
    expect(sha256).toBe(made.sha256);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(bytes).toHaveLength(made.size_bytes);
    expect(await signatureReport(bytes)).toContain('Signature is Valid.');
  });

  it('RenderArtifact returns the first PDF when the request is repeated', async () => {
    const document = newDocument();
    const first = await render(document);
    const second = await render(document);
    expect(second.sha256).toBe(first.sha256);
    expect((await get(document)).sha256).toBe(first.sha256);
  });

  it('RenderArtifact replaces the PDF of an earlier attempt, and an earlier one that comes last changes nothing', async () => {
    const document = newDocument();
    const first = await render(document, 1);
    const second = await render({ ...document, number: 7 }, 2);
    expect(second.sha256).not.toBe(first.sha256);
    for (const number of [document.number, 7]) {
      await expect(render({ ...document, number }, 1)).rejects.toMatchObject({
        code: 'document_generation_failed',
      });
    }
    expect((await get(document)).sha256).toBe(second.sha256);
  });

  it('RenderArtifact never replaces a PDF that was compared with the book', async () => {
    const document = newDocument();
    const first = await render(document);
    await compareAll();
    expect((await render(document)).sha256).toBe(first.sha256);
    await expect(render({ ...document, number: 7 }, 2)).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
    expect((await get(document)).sha256).toBe(first.sha256);
  });

  it('RenderArtifact fails with document_generation_failed before its deadline when Gotenberg fails or hangs', async () => {
    const document = newDocument();
    for (const mode of [{ fail_every: 1 }, { hang: true }]) {
      await gotenberg.mode(mode);
      await expect(render(document)).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    await gotenberg.mode({});
    await expect(get(document)).rejects.toMatchObject({ code: 'not_found' });
    // The page that hung may still hold the only room of the renderer.
    const rendered = await eventually('the document is rendered', () => render(document));
    expect(rendered).toMatchObject({ revision: 1 });
  });

  it('RenderArtifact rejects at once what exceeds its queue', async () => {
    await gotenberg.mode({ delay_ms: 500 });
    // One is rendered, one is queued: the other two are rejected before anything is rendered.
    const settled: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, () =>
        render(newDocument()).then(
          () => settled.push('made'),
          () => settled.push('refused'),
        ),
      ),
    );
    await gotenberg.mode({});
    expect(settled).toEqual(['refused', 'refused', 'made', 'made']);
  });

  it('getArtifact does not find the PDF of another business', async () => {
    const document = newDocument();
    await render(document);
    await expect(
      rendering.network.call(getArtifact, { business_id: sampleBusiness().id, document_id: document.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('the database refuses to change or delete a final artifact', async () => {
    const { db } = rendering.database;
    const document = newDocument();
    await render(document);
    const row = db.updateTable('artifact').where('document_id', '=', document.id);
    const pdf = Buffer.from('forged');
    const forged = { pdf, sha256: createHash('sha256').update(pdf).digest(), size_bytes: pdf.length };
    await expect(row.set(forged).execute()).rejects.toThrow('an artifact is final');
    await expect(row.set({ allocation_number: '123456789' }).execute()).rejects.toThrow(
      'an artifact is final',
    );
    await compareAll();
    await expect(db.deleteFrom('artifact').where('document_id', '=', document.id).execute()).rejects.toThrow(
      'never deleted',
    );
    await expect(sql`truncate artifact`.execute(db)).rejects.toThrow();
  });

  it('the service is ready when it can render', async () => {
    const ready = await fetch(`http://127.0.0.1:${rendering.service.healthPort}/readyz`);
    expect(ready.status).toBe(200);
  });
});

describe('readiness', () => {
  let artifacts: Artifacts;
  let gotenberg: Simulator;
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    artifacts = await Artifacts.start();
    ({ gotenberg, rendering } = artifacts);
  });
  afterAll(() => artifacts?.stop());
  /** Once, whatever comes of it. */
  const render = () => {
    const { business } = artifacts;
    const document = sampleDocument('tax_invoice', business);
    return rendering.network.call(renderArtifact, { document, business, attempt: 1 });
  };
  const readiness = async () => {
    const answer = await fetch(`http://127.0.0.1:${rendering.service.healthPort}/readyz`);
    return { status: answer.status, ...((await answer.json()) as Readiness) };
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${rendering.service.healthPort}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const inDays = (count: number) => new Date(Date.now() + count * 86_400_000);

  it('readiness warns of a certificate that expires soon, and fails when it has expired', async () => {
    expect(await readiness()).toEqual({ status: 200, ready: true, reasons: [], warnings: [] });
    rendering.clock.now = inDays(350);
    expect(await readiness()).toMatchObject({
      status: 200,
      ready: true,
      warnings: [
        expect.stringMatching(/^the signing certificate expires in 1\d days$/),
        expect.stringMatching(/^the certificate of test documents expires in 1\d days$/),
      ],
    });
    expect(await metric('pinkas_signing_certificate_days_left')).toBeCloseTo(15, 0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
    rendering.clock.now = inDays(400);
    expect(await readiness()).toMatchObject({
      status: 503,
      ready: false,
      reasons: ['the signing certificate has expired'],
    });
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    rendering.clock.now = new Date();
    expect((await readiness()).status).toBe(200);
  });

  it('a document is rendered after five pages of another business have failed', async () => {
    // Every page fails, and every self-test after it is rendered.
    await gotenberg.mode({ fail_every: 2 });
    await expect(render()).resolves.toMatchObject({ revision: 1 });
    for (let time = 0; time < 5; time += 1) {
      await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    await gotenberg.mode({});
    expect((await readiness()).status).toBe(200);
    const other = sampleBusiness();
    const document = sampleDocument('tax_invoice', other);
    await expect(
      rendering.network.call(renderArtifact, { document, business: other, attempt: 1 }),
    ).resolves.toMatchObject({ revision: 1 });
  });

  it('readiness fails while the circuit of the renderer is open, and returns when rendering works', async () => {
    await gotenberg.mode({ fail_every: 1 });
    for (let time = 0; time < 6; time += 1) {
      await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    expect(await readiness()).toMatchObject({
      status: 503,
      reasons: [expect.stringContaining('the circuit of the renderer is open')],
    });
    expect(await metric('pinkas_renderer_circuit_open')).toBe(1);
    const before = await gotenberg.read<{ failed: number }>('/_calls');
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    const after = await gotenberg.read<{ failed: number }>('/_calls');
    // At most one probe was sent in between.
    expect(after.failed - before.failed).toBeLessThanOrEqual(1);
    await gotenberg.mode({});
    await eventually('rendering is ready again', async () => (await readiness()).ready);
    expect(await metric('pinkas_renderer_circuit_open')).toBe(0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
  });
});

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
    'the circuit opens after some failures in a row, says so, and closes by itself when Gotenberg %s',
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
