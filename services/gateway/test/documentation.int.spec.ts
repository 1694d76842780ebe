import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorCatalogue, publicRoutes } from '@pinkas/contracts';
import { guide, openApiDocument, problemsOf } from '@pinkas/contracts/openapi';
import allPages from '../src/pages/guide-pages.json' with { type: 'json' };
import { type GatewayUnderTest, startGateway } from './gateway.js';

const guidePages = allPages.filter(({ name }) => !name.startsWith('examples/'));

describe('the documentation', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    // Each test has its own minute, and so its own rate limits.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  it('GET /openapi.json returns the OpenAPI document with the configured addresses', async () => {
    const answer = await gateway.http('/v1/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('ratelimit-limit')).toBe('60');
    expect(answer.json.servers).toEqual([{ url: gateway.config.baseUrl }]);
    expect(answer.json).toEqual(openApiDocument(gateway.config));
  });

  it('GET /openapi.json is compressed on demand, cacheable, and 304 for who has it already', async () => {
    const ask = (headers: Record<string, string>) => gateway.http('/v1/openapi.json', { headers });
    const [plain, zipped] = [
      await ask({ 'accept-encoding': 'identity' }),
      await ask({ 'accept-encoding': 'gzip' }),
    ];
    expect([plain, zipped].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
    expect(zipped.json).toEqual(plain.json);
    const etag = plain.headers.get('etag') ?? '';
    expect([etag, zipped.headers.get('etag')]).toEqual([expect.stringMatching(/^W\/"[\w-]+"$/), etag]);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=300');
    const known = await ask({ 'if-none-match': `"other", ${etag}` });
    expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('the OpenAPI document has every problem of every route, and the page of every code', async () => {
    const { json } = await gateway.http('/v1/openapi.json');
    for (const route of publicRoutes) {
      const operation = json.paths[route.path.replace(/:(\w+)/g, '{$1}')][route.method.toLowerCase()];
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

  it('the reference has every operation, field and code, runs no script and is shown in no frame', async () => {
    const page = await gateway.http('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'/,
    );
    expect(page.text).not.toContain('<script');
    const { json } = await gateway.http('/v1/openapi.json');
    const sectionOf = (id: string) =>
      page.text.split(`<section id="${id}">`)[1]?.split('</section>')[0]?.replaceAll(/>\s+/g, '> ') ?? '';
    for (const [path, methods] of Object.entries<Record<string, Operation>>(json.paths)) {
      for (const [method, { operationId, summary, parameters = [], responses }] of Object.entries(methods)) {
        const section = sectionOf(`operation/${operationId}`);
        expect(section).toContain(`${summary}</a> <code>${method.toUpperCase()} ${path}</code>`);
        for (const status of Object.keys(responses)) {
          expect([operationId, section]).toEqual([
            operationId,
            expect.stringContaining(`<dt><code>${status}</code></dt>`),
          ]);
        }
        expect(section.match(/<dd>In the (path|query|header)\./g) ?? []).toHaveLength(parameters.length);
      }
    }
    for (const [name, { properties = {} }] of Object.entries<{ properties?: object }>(
      json.components.schemas,
    )) {
      const section = sectionOf(`schema/${name}`);
      expect([name, section]).not.toEqual([name, '']);
      for (const field of Object.keys(properties)) {
        expect(section).toContain(`<dt><code>${field}</code>`);
      }
    }
    for (const [type, { post }] of Object.entries<{ post: Operation }>(json.webhooks)) {
      expect(sectionOf(`webhook/${type}`)).toContain(post.summary);
      expect(sectionOf(`webhook/${type}`)).toContain(`&quot;type&quot;: &quot;${type}&quot;`);
    }
    for (const field of ['customer.name', 'items[].unit_price', 'payments[].card_last_digits']) {
      expect(sectionOf('operation/createDocument')).toContain(`<dt><code>${field}</code>`);
    }
    expect(page.text).toContain(`curl &quot;${gateway.config.baseUrl}/documents&quot;`);
    const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...page.text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
    // Errors lead to their explanation.
    expect(sectionOf('operation/createDocument')).toContain('<a href="/docs/errors#total_mismatch">');
    expect(sectionOf('operation/createDocument')).toContain(
      '<pre>{\n  &quot;type&quot;: &quot;tax_invoice_receipt&quot;',
    );
  });
  interface Operation {
    operationId: string;
    summary: string;
    parameters?: object[];
    responses: object;
  }

  it('the reference is compressed for clients that accept gzip', async () => {
    const codingFor = async (accepted: string) => {
      const { headers, text } = await gateway.http('/docs', { headers: { 'accept-encoding': accepted } });
      expect([headers.get('vary'), text]).toEqual(['accept-encoding', expect.stringContaining('</html>')]);
      return headers.get('content-encoding');
    };
    expect(await codingFor('gzip')).toBe('gzip');
    for (const encoding of ['identity', 'gzip;q=0', 'br, gzip; q=0.0']) {
      expect(await codingFor(encoding)).toBeNull();
    }
  });

  it('a documentation path may end with a slash', async () => {
    for (const path of ['/docs', '/docs/guide', '/docs/errors']) {
      expect((await gateway.http(`${path}/`)).text).toBe((await gateway.http(path)).text);
    }
  });

  it('/docs.md has every operation, schema, event and error of the reference, in the words of the guides', async () => {
    const { status, headers, text } = await gateway.http('/docs.md');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    const { json } = await gateway.http('/v1/openapi.json');
    const headings = [...text.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(
      expect.arrayContaining([
        ...publicRoutes.map(
          ({ summary, method, path }) => `${summary}: \`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``,
        ),
        ...Object.keys(json.components.schemas),
        ...Object.keys(json.webhooks).map((type) => `\`${type}\``),
      ]),
    );
    for (const [name, { properties = {} }] of Object.entries<{ properties?: object }>(
      json.components.schemas,
    )) {
      const part = text.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
      expect([...part.matchAll(/^- `(\w+)` /gm)].map(([, field]) => field)).toEqual(
        expect.arrayContaining(Object.keys(properties)),
      );
    }
    const errors = text.split('\n## Errors\n').at(-1) ?? '';
    expect([...errors.matchAll(/^- `(\w+)` \(\d{3};/gm)].map(([, code]) => code)).toEqual(
      Object.keys(errorCatalogue),
    );
    expect(text).toContain(`curl "${gateway.config.baseUrl}/documents"`);
    expect(text).not.toMatch(/\$BASE_URL|\$ORIGIN|undefined|\[object/);
  });

  it('/llms.txt leads to addresses that answer', async () => {
    const { status, headers, text } = await gateway.http('/llms.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) {
      expect([link, (await gateway.http(new URL(link).pathname)).status]).toEqual([link, 200]);
    }
  });

  it('HEAD returns the headers of a documentation page without its body', async () => {
    for (const path of ['/docs', '/docs/guide', '/docs/errors']) {
      const head = await gateway.http(path, { method: 'HEAD' });
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      const { headers } = await gateway.http(path);
      expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
      expect(head.headers.get('content-type')).toBe(headers.get('content-type'));
    }
  });

  it('the guide is the one of the repository, with the address of this system', async () => {
    const { status, text } = await gateway.http('/docs/guide');
    expect(status).toBe(200);
    expect(text).toContain('<h1 id="guide/for-developers">');
    expect(text).toContain(`curl &quot;${gateway.config.baseUrl}/documents&quot;`);
    expect(text).not.toMatch(/\$BASE_URL|href="\.\./);
  });

  it('each page that the guide links is served, and its links lead to pages and headings that are there', async () => {
    const paths = guidePages.map(({ name }) => `/docs/${name}`);
    const pages = await Promise.all(paths.map(async (path) => ({ path, ...(await gateway.http(path)) })));
    for (const { path, status, text } of pages) {
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/\$BASE_URL|\$ORIGIN|href="\.\./);
      for (const [, id = ''] of text.matchAll(/href="#([^"]+)"/g)) {
        expect([path, id, text.includes(`id="${id}"`)]).toEqual([path, id, true]);
      }
    }
    const [guideText = '', ...others] = pages.map(({ text }) => text);
    const linked = others.map(
      (_, index) => `href="${gateway.config.docsUrl}/${guidePages[index + 1]?.name}"`,
    );
    expect(linked.filter((link) => !guideText.includes(link))).toEqual([]);
    const all = await gateway.http('/docs.md');
    expect(all.text).toContain('\n# views.py\n');
    expect(all.text).toContain('\n### Django\n');
  });

  it('the programs that the pages link are served as text, and no link of the pages leads nowhere', async () => {
    const { text: all } = await gateway.http('/docs.md');
    const links = [...all.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !/^(https?:\/\/|#|\/)/.test(link))).toEqual([]);
    const programs = links.filter((link) => link.startsWith(`${gateway.config.docsUrl}/examples/`));
    expect(new Set(programs).size).toBeGreaterThan(5);
    for (const link of new Set(programs)) {
      const { status, headers, text } = await gateway.http(new URL(link).pathname);
      expect([link, status, headers.get('content-type')]).toEqual([link, 200, 'text/plain; charset=utf-8']);
      const { file = '' } = allPages.find(({ name }) => link.endsWith(`/${name}`)) ?? {};
      expect(text).toBe(await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8'));
    }
    const woocommerce = await gateway.http('/docs/from-woocommerce');
    expect(woocommerce.text).toContain(`href="${gateway.config.docsUrl}/examples/from-woocommerce.php"`);
  });

  it('a path without /v1 is refused with a hint that names it', async () => {
    for (const path of ['/', '/documents', '/openapi.json', '/me']) {
      const { status, json } = await gateway.http(path);
      expect([path, status, json.error.hint]).toEqual([path, 404, expect.stringContaining('/v1')]);
    }
  });

  it('/client-php.tgz is the folder that Composer links, with the code of a shop', async () => {
    const packed = Buffer.from(await (await fetch(`${gateway.origin}/client-php.tgz`)).arrayBuffer());
    const listed = execFileSync('tar', ['-tzf', '-'], { input: packed, encoding: 'utf8' }).split('\n');
    expect(listed).toEqual(
      expect.arrayContaining(
        [
          'composer.json',
          'LICENSE',
          'README.md',
          'src/PinkasClient.php',
          'examples/from-woocommerce.php',
        ].map((file) => `client-php/${file}`),
      ),
    );
    expect(listed.filter((file) => file.includes('/tests'))).toEqual([]);
  });

  it.each(['/client.tgz', '/client-php.tgz', '/mcp.tgz'])(
    '%s has an entity tag, by which it is not sent twice',
    async (path) => {
      const sent = await gateway.http(path);
      expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'application/gzip']);
      const headers = { 'if-none-match': sent.headers.get('etag') ?? '' };
      expect(await gateway.http(path, { headers })).toMatchObject({ status: 304, text: '' });
    },
  );

  it('the errors page explains every code in both languages, with the operations that can return it', async () => {
    const { text } = await gateway.http('/docs/errors');
    const asHtml = (text: string) =>
      text.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    for (const [code, entry] of Object.entries(errorCatalogue)) {
      const section = text.split(`<section id="${code}">`)[1]?.split('</section>')[0] ?? '';
      expect(section).toContain(asHtml(entry.message));
      expect(section).toContain(`<p lang="he" dir="rtl">${asHtml(entry.messageHe)}</p>`);
      expect(section).toContain(`HTTP ${entry.httpStatus}`);
      for (const member of entry.details) {
        expect(section).toContain(`details.${member}`);
      }
    }
    const mismatch = text.split('<section id="total_mismatch">')[1]?.split('</section>')[0] ?? '';
    expect(mismatch).toContain('<a href="/docs#operation/createDocument">POST /documents</a>');
    expect(text).not.toContain('<script');
  });

  it('the errors page states in both languages after which codes a document may have been issued', async () => {
    const { text } = await gateway.http('/docs/errors');
    const introductions = [
      text.split('<h1>')[1]?.split('<dl')[0]?.split('<p lang="he"')[0],
      text.split('<h1>')[1]?.split('<dl')[0]?.split('<p lang="he"')[1],
      guide.split('# Errors')[1]?.split('# Versions')[0],
    ];
    for (const words of introductions) {
      expect(words).toMatch(/4xx[^.]*document_generation_failed/);
      expect(words).toMatch(/engine_error[^.]*internal_error/);
      expect(words).toContain('Idempotency-Key');
      expect(words).toMatch(/an earlier\s+attempt with the same key may|ייתכן שניסיון קודם עם אותו מפתח/);
    }
    // A heading applies to all codes below it.
    const headings = [...text.matchAll(/<h2>(\d+)(.*)<\/h2>/g)];
    expect(headings.map(([, status]) => status)).toEqual(
      expect.arrayContaining(['422', '500', '502', '503']),
    );
    for (const [, status, words] of headings) {
      if (Number(status) >= 500) {
        expect([status, words]).not.toEqual([status, expect.stringMatching(/issued|הופק/)]);
      }
    }
  });
});
