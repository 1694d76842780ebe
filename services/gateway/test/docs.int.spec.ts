import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorCatalogue, publicRoutes } from '@pinkas/contracts';
import { openApiDocument, problemsOf } from '@pinkas/contracts/openapi';
import { findBinary } from '@pinkas/local-servers';
import { chromium } from 'playwright-core';
import { type GatewayUnderTest, startGateway } from './gateway.js';

describe('the documentation', () => {
  let gateway: GatewayUnderTest;
  let assets: string[];
  beforeAll(async () => {
    gateway = await startGateway();
    const { text } = await gateway.http('/docs');
    assets = [...text.matchAll(/<script src="([^"]+)"/g)].map((match) => match[1] ?? '');
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    // Each test has the budget of a fresh minute.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  it('gives programs the OpenAPI document of this very address, without a key', async () => {
    const answer = await gateway.http('/v1/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('ratelimit-limit')).toBe('60');
    expect(answer.json.servers).toEqual([{ url: gateway.config.baseUrl }]);
    expect(answer.json).toEqual(openApiDocument(gateway.config));
  });

  it('describes every route that is served, and every code with the address of its page', async () => {
    const { json } = await gateway.http('/v1/openapi.json');
    for (const route of publicRoutes) {
      const operation = json.paths[route.path.replace(':id', '{id}')][route.method.toLowerCase()];
      const described = Object.values<{ content: { 'application/json': { examples: object } } }>(
        operation.responses,
      ).flatMap((response) => Object.keys(response.content['application/json'].examples));
      expect(described).toEqual(expect.arrayContaining(problemsOf(route)));
    }
    for (const code of Object.keys(errorCatalogue)) {
      expect(json.components.examples[code].value.error.doc_url).toBe(
        `${gateway.config.docsUrl}/errors#${code}`,
      );
    }
  });

  it('runs scripts of its own host only, loads nothing from another one, and stands in no frame', async () => {
    const page = await gateway.http('/docs');
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    const rules = Object.fromEntries(
      policy.split('; ').map((rule) => [rule.slice(0, rule.indexOf(' ')), rule.slice(rule.indexOf(' ') + 1)]),
    );
    expect(rules).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'style-src': "'unsafe-inline'",
      'img-src': 'data:',
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
      'form-action': "'none'",
    });
    expect(assets).toHaveLength(2);
    for (const address of assets) expect(address).toMatch(/^\/docs\/assets\//);
    expect(page.text).not.toMatch(/<script(?! src="\/docs\/assets\/)/);
    const scripts = await Promise.all(assets.map((address) => gateway.http(address)));
    for (const { text } of scripts) expect(text).not.toContain('cdn.redoc.ly');
  });

  it('gives its files for ever under names that hold their hash, packed for those who take it', async () => {
    const [renderer = ''] = assets;
    expect(renderer).toMatch(/^\/docs\/assets\/redoc\.[0-9a-f]{16}\.js$/);
    const packed = await gateway.http(renderer, { headers: { 'accept-encoding': 'gzip' } });
    const hash = renderer.split('.')[1];
    const tags = { gzip: `"${hash}-gzip"`, identity: `"${hash}"` };
    expect(Object.fromEntries(packed.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      etag: tags.gzip,
    });
    for (const refusal of ['identity', 'gzip;q=0', 'br, gzip; q=0.0']) {
      const plain = await gateway.http(renderer, { headers: { 'accept-encoding': refusal } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.headers.get('etag')).toBe(tags.identity);
      expect(plain.text).toBe(packed.text);
    }
    const asked = async (coding: string, known: string) => {
      const headers = { 'accept-encoding': coding, 'if-none-match': known };
      const { status, headers: told } = await gateway.http(renderer, { headers });
      return [status, told.get('etag')];
    };
    for (const coding of ['gzip', 'identity'] as const) {
      expect(await asked(coding, tags[coding])).toEqual([304, tags[coding]]);
      expect(await asked(coding, `W/${tags[coding]}`)).toEqual([304, tags[coding]]);
      // Whoever keeps both forms names both, and learns which one is meant.
      expect(await asked(coding, `${tags.identity}, ${tags.gzip}`)).toEqual([304, tags[coding]]);
    }
    // RFC 9110, 8.8.3.3: other bytes, another tag.
    expect(await asked('gzip', tags.identity)).toEqual([200, tags.gzip]);
    expect(await asked('identity', tags.gzip)).toEqual([200, tags.identity]);
  });

  it.each([
    'redoc.js',
    'redoc.0000000000000000.js',
    '..%2f..%2fpackage.json',
    '%2e%2e%2fmain.js',
    '../../../package.json',
    'constructor',
    '',
  ])('has no file called %p', async (name) => {
    const answer = await gateway.http(`/docs/assets/${name}`);
    expect(answer.status).toBe(404);
  });

  it('is found with a slash at its end as well', async () => {
    for (const path of ['/docs', '/docs/errors']) {
      expect((await gateway.http(`${path}/`)).text).toBe((await gateway.http(path)).text);
    }
  });

  it('answers HEAD like GET, without the body', async () => {
    for (const path of ['/docs', '/docs/errors', ...assets]) {
      const head = await gateway.http(path, { method: 'HEAD' });
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      const { headers } = await gateway.http(path);
      expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
      expect(head.headers.get('content-type')).toBe(headers.get('content-type'));
    }
  });

  it('spends the budget of the address', async () => {
    for (let visit = 0; visit < 60; visit += 1) {
      expect((await gateway.http('/docs/errors', { method: 'HEAD' })).status).toBe(200);
    }
    expect((await gateway.http('/docs')).status).toBe(429);
  });

  it('explains every code in both languages where its doc_url leads, with the operations that answer it', async () => {
    const { text } = await gateway.http('/docs/errors');
    const asHtml = (words: string) =>
      words.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    for (const [code, entry] of Object.entries(errorCatalogue)) {
      const section = text.split(`<section id="${code}">`)[1]?.split('</section>')[0] ?? '';
      expect(section).toContain(asHtml(entry.message));
      expect(section).toContain(`<p lang="he" dir="rtl">${asHtml(entry.messageHe)}</p>`);
      expect(section).toContain(`HTTP ${entry.httpStatus}`);
      for (const member of entry.details) expect(section).toContain(`details.${member}`);
    }
    const mismatch = text.split('<section id="total_mismatch">')[1]?.split('</section>')[0] ?? '';
    expect(mismatch).toContain('<a href="/docs#operation/createDocument">POST /documents</a>');
    expect(text).not.toContain('<script');
  });

  it('says in both languages after which codes a document may have been issued all the same', async () => {
    const { text } = await gateway.http('/docs/errors');
    const { json } = await gateway.http('/v1/openapi.json');
    const introductions = [
      text.split('<h1>')[1]?.split('<dl')[0]?.split('<p lang="he"')[0],
      text.split('<h1>')[1]?.split('<dl')[0]?.split('<p lang="he"')[1],
      json.info.description.split('# Errors')[1].split('# Versions')[0],
    ];
    for (const words of introductions) {
      expect(words).toMatch(/4xx[^.]*document_generation_failed/);
      expect(words).toMatch(/engine_error[^.]*internal_error/);
      expect(words).toContain('Idempotency-Key');
    }
    // A heading speaks for all codes under it.
    const headings = [...text.matchAll(/<h2>(\d+)(.*)<\/h2>/g)];
    expect(headings.map(([, status]) => status)).toEqual(
      expect.arrayContaining(['422', '500', '502', '503']),
    );
    for (const [, status, words] of headings) {
      if (Number(status) >= 500)
        expect([status, words]).not.toEqual([status, expect.stringMatching(/issued|הופק/)]);
    }
  });

  it('reads in a browser under its policy, on a wide and on a narrow screen, and asks no other host', async () => {
    const browser = await chromium.launch({
      executablePath: findBinary('chromium-headless-shell') ?? '',
      args: ['--no-sandbox'],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
      const complaints: string[] = [];
      const asked: string[] = [];
      page.on('console', (line) => {
        if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => asked.push(request.url()));
      const overflow = () =>
        page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      const narrow = { width: 400, height: 800 };

      await page.goto(`${gateway.origin}/docs`);
      for (const route of publicRoutes) {
        await page.waitForSelector(`[id="operation/${route.operation}"]`, { timeout: 40_000 });
      }
      expect(await page.locator('body').textContent()).toContain('Idempotency-Key');
      expect(await page.locator('input, textarea').count()).toBe(0);
      expect(await overflow()).toBe(0);
      await page.setViewportSize(narrow);
      expect(await overflow()).toBe(0);
      await page.goto(`${gateway.origin}/docs/errors`);
      expect(await overflow()).toBe(0);

      expect(complaints).toEqual([]);
      const others = asked.filter(
        (address) => !address.startsWith('data:') && !address.startsWith(`${gateway.origin}/docs`),
      );
      expect(others).toEqual([]);
      expect(asked.length).toBeGreaterThan(3);
    } finally {
      await browser.close();
    }
  });
});
