import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cancelArtifact,
  errorCatalogue,
  findPublicDocument,
  getArtifact,
  renderPage,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { exampleBusiness, exampleDocument } from '@pinkas/testkit';
import { type GatewayUnderTest, startGateway } from './gateway.js';

const business = exampleBusiness();
const document = exampleDocument({ business_id: business.id, type: 'receipt', number: 9 });
const pdf = Buffer.from('%PDF-1.7 example');
const sha256 = createHash('sha256').update(pdf).digest('hex');
const cancelledPdf = Buffer.from('%PDF-1.7 example, cancelled');
const cancelledSha256 = createHash('sha256').update(cancelledPdf).digest('hex');
const style = 'body>p{color:red}';
const cancelledAt = '2026-03-09T22:30:00.000Z';

describe('pages and files', () => {
  let gateway: GatewayUnderTest;
  /** What the others say of the document. */
  let inTheBook: 'standing' | 'cancelled';
  let rendering: 'knows nothing' | 'cannot print' | 'knows';
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(findPublicDocument, ({ public_id: publicId }) => {
      if (publicId !== document.public_id) throw new Problem('not_found');
      return {
        document,
        business,
        state: {
          status: inTheBook === 'cancelled' ? ('cancelled' as const) : ('closed' as const),
          paid: 7080,
          allocation_number: null,
          cancelled_at: inTheBook === 'cancelled' ? cancelledAt : null,
        },
      };
    });
    gateway.network.answer(renderPage, (request) => ({
      html: `<!doctype html><html lang="${request.language}"><title>${request.document.number}</title><style>${style}</style><a href="${request.pdf_url}">PDF</a>`,
    }));
    gateway.network.answer(getArtifact, ({ document_id: id, business_id: businessId }) => {
      if (id !== document.id || businessId !== business.id) throw new Problem('not_found');
      return rendering === 'knows'
        ? { revision: 2, sha256: cancelledSha256, pdf: cancelledPdf.toString('base64'), cancelled: true }
        : { revision: 1, sha256, pdf: pdf.toString('base64'), cancelled: false };
    });
    gateway.network.answer(cancelArtifact, (request) => {
      if (rendering === 'cannot print') throw new Problem('document_generation_failed');
      expect(request).toEqual({ document, business, cancelled_at: cancelledAt });
      rendering = 'knows';
      return { revision: 2, sha256: cancelledSha256, pdf: cancelledPdf.toString('base64'), cancelled: true };
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    inTheBook = 'standing';
    rendering = 'knows nothing';
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  it('show the hosted page to whoever has its address, and let nothing run or load in it', async () => {
    const page = await gateway.http(`/d/${document.public_id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`https://api.example.com/pdf/${document.public_id}`);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      // Style that anybody else had brought in would not be taken either.
      'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; font-src data:; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
      'x-robots-tag': expect.stringContaining('noindex'),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(page.headers.get('ratelimit-limit')).toBeNull();
  });

  it.each([
    ['?lang=en', 'en'],
    ['?lang=he', 'he'],
    ['', 'undefined'],
    ['?lang=fr', 'undefined'],
    ['?lang="><script>', 'undefined'],
  ])('show the hosted page in the language that its visitor asks for: %s', async (query, language) => {
    const page = await gateway.http(`/d/${document.public_id}${query}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<html lang="${language}">`);
  });

  it('give the PDF as a file where it is asked for as one, under a name in the language of the business', async () => {
    const response = await fetch(`${gateway.origin}/pdf/${document.public_id}?download=1`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(pdf);
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename="receipt-9\.pdf"; filename\*=UTF-8''/);
    expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe('קבלה 9.pdf');
    expect(response.headers.get('etag')).toBe(`"${sha256}"`);
  });

  it('serve the PDF byte for byte, with its hash as the entity tag', async () => {
    const response = await fetch(`${gateway.origin}/pdf/${document.public_id}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(pdf);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(pdf.length),
      etag: `"${sha256}"`,
      'content-disposition': expect.stringContaining('inline; filename="receipt-9.pdf"'),
      'cache-control': 'private, no-cache',
      'x-robots-tag': expect.stringContaining('noindex'),
    });
  });

  it('answer 304 to whoever has the same bytes already', async () => {
    const headers = { 'if-none-match': `"${sha256}"` };
    const same = await gateway.http(`/pdf/${document.public_id}`, { headers });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', `"${sha256}"`]);
    const other = await gateway.http(`/pdf/${document.public_id}`, { headers: { 'if-none-match': '"old"' } });
    expect(other.status).toBe(200);
  });

  it.each(['knows nothing', 'knows'] as const)(
    'serve the PDF that says so of a cancelled document, when rendering %s of it',
    async (known) => {
      inTheBook = 'cancelled';
      rendering = known;
      // Whoever has the PDF of the document as it stood must not be told that nothing has changed.
      const headers = { 'if-none-match': `"${sha256}"` };
      const response = await fetch(`${gateway.origin}/pdf/${document.public_id}`, { headers });
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(cancelledPdf);
      expect(response.headers.get('etag')).toBe(`"${cancelledSha256}"`);
    },
  );

  it('ask the visitor to come again rather than show a cancelled document as one that stands', async () => {
    inTheBook = 'cancelled';
    rendering = 'cannot print';
    const answer = await gateway.http(`/pdf/${document.public_id}`);
    expect(answer.status).toBe(errorCatalogue.engine_error.httpStatus);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain('נסו שוב');
    rendering = 'knows nothing';
    expect((await gateway.http(`/pdf/${document.public_id}`)).headers.get('etag')).toBe(
      `"${cancelledSha256}"`,
    );
  });

  it('answer HEAD with the headers alone', async () => {
    const head = await gateway.http(`/pdf/${document.public_id}`, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(pdf.length),
    ]);
    expect((await gateway.http(`/d/${document.public_id}`, { method: 'HEAD' })).status).toBe(200);
  });

  it.each(['/d/unknown', '/pdf/unknown', `/d/${randomUUID()}`, '/d/a.b', '/pdf/a%00b'])(
    'say kindly that %s is nothing, in both languages',
    async (path) => {
      const answer = await gateway.http(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text).toContain('המסמך לא נמצא');
      expect(answer.text).toContain(answer.headers.get('x-request-id'));
    },
  );

  it('explain every error code where its doc_url leads', async () => {
    const page = await gateway.http('/docs/errors');
    expect(page.status).toBe(200);
    for (const code of Object.keys(errorCatalogue)) expect(page.text).toContain(`<section id="${code}">`);
  });
});
