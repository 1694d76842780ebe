import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cancelArtifact,
  completeConnection,
  errorCatalogue,
  findPublicDocument,
  getArtifact,
  markConnected,
  numberArtifact,
  type ReplyOf,
  type RequestOf,
  renderPage,
  showBusiness,
  showConnection,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleBusiness, exampleDocument, readTrail } from '@pinkas/testkit';
import { type GatewayUnderTest, startGateway } from './gateway.js';

const business = exampleBusiness();
const document = exampleDocument({ business_id: business.id, type: 'receipt', number: 9 });
const pdf = Buffer.from('%PDF-1.7 example');
const sha256 = createHash('sha256').update(pdf).digest('hex');
const cancelledPdf = Buffer.from('%PDF-1.7 example, cancelled');
const cancelledSha256 = createHash('sha256').update(cancelledPdf).digest('hex');
const numberedPdf = Buffer.from('%PDF-1.7 example, with its number');
const numberedSha256 = createHash('sha256').update(numberedPdf).digest('hex');
const style = 'body>p{color:red}';
const cancelledAt = '2026-03-09T22:30:00.000Z';

describe('the public pages', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    // Each test has its own minute, and so its own rate limits.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  describe('document pages and PDFs', () => {
    let stateInBook: 'closed' | 'cancelled';
    /** The state of the cancelled revision at rendering. */
    let revision: 'missing' | 'failing' | 'stored';
    let allocationNumber: string | null = null;
    let lookups = 0;
    beforeAll(async () => {
      gateway.network.answer(findPublicDocument, ({ public_id: publicId }) => {
        lookups += 1;
        if (publicId !== document.public_id) {
          throw new ApiError('not_found');
        }
        return {
          document,
          business,
          artifact_sha256: 'ab'.repeat(32),
          state: {
            status: stateInBook,
            paid: 7080,
            allocation_number: allocationNumber,
            cancelled_at: stateInBook === 'cancelled' ? cancelledAt : null,
            ...(stateInBook === 'cancelled' && { cancel_reason: 'הוזמן פעמיים' }),
          },
        };
      });
      gateway.network.answer(renderPage, (request) => ({
        html: `<!doctype html><html lang="${request.language}"><title>${request.document.number}</title><style>${style}</style><a href="${request.pdf_url}">PDF</a>`,
      }));
      gateway.network.answer(getArtifact, ({ document_id: id, business_id: businessId }) => {
        if (id !== document.id || businessId !== business.id) {
          throw new ApiError('not_found');
        }
        return revision === 'stored'
          ? {
              revision: 2,
              sha256: cancelledSha256,
              pdf: cancelledPdf.toString('base64'),
              cancelled: true,
              allocation_number: null,
            }
          : { revision: 1, sha256, pdf: pdf.toString('base64'), cancelled: false, allocation_number: null };
      });
      gateway.network.answer(numberArtifact, (request) => {
        if (revision === 'failing') {
          throw new ApiError('document_generation_failed');
        }
        expect(request).toEqual({ document, business, allocation_number: allocationNumber });
        return {
          revision: 2,
          sha256: numberedSha256,
          pdf: numberedPdf.toString('base64'),
          cancelled: false,
          allocation_number: allocationNumber,
        };
      });
      gateway.network.answer(cancelArtifact, (request) => {
        if (revision === 'failing') {
          throw new ApiError('document_generation_failed');
        }
        expect(request).toEqual({
          document,
          business,
          cancelled_at: cancelledAt,
          reason: 'הוזמן פעמיים',
        });
        revision = 'stored';
        return {
          revision: 2,
          sha256: cancelledSha256,
          pdf: cancelledPdf.toString('base64'),
          cancelled: true,
          allocation_number: null,
        };
      });
    });
    beforeEach(() => {
      stateInBook = 'closed';
      revision = 'missing';
      allocationNumber = null;
    });

    it('the PDF of a document whose number the book has shows it, although rendering has no such PDF yet', async () => {
      allocationNumber = '123456789';
      const answer = await fetch(`${gateway.origin}/pdf/${document.public_id}`);
      expect(answer.headers.get('etag')).toBe(`"${numberedSha256}"`);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(numberedPdf);
      revision = 'failing';
      expect((await gateway.http(`/pdf/${document.public_id}`)).status).toBe(502);
    });

    it('a client opens 600 pages and PDFs of documents that exist in a minute, and 60 of those that do not', async () => {
      const office = { headers: { 'x-forwarded-for': '192.0.2.90' } };
      const statuses = async (paths: string[]) => {
        const counts: Record<number, number> = {};
        for (let at = 0; at < paths.length; at += 16) {
          const batch = paths.slice(at, at + 16).map((path) => gateway.http(path, office));
          for (const { status } of await Promise.all(batch)) {
            counts[status] = (counts[status] ?? 0) + 1;
          }
        }
        return counts;
      };
      const known = [`/d/${document.public_id}`, `/pdf/${document.public_id}`];
      const unknown = ['/d/nothing-here', '/pdf/nothing-here', '/d/not%20an%20id'];
      const times = (paths: string[], count: number) => Array.from({ length: count }, () => paths).flat();
      // Unknown ids, malformed ones and what needs no key share one limit; documents that exist are not affected by it.
      expect(await statuses(times(unknown, 20))).toEqual({ 404: 60 });
      expect(await statuses(['/d/nothing-here', '/docs/errors'])).toEqual({ 429: 2 });
      expect(await statuses(times(known, 299))).toEqual({ 200: 598 });
      expect(await statuses(times(known, 2))).toEqual({ 200: 2, 429: 2 });
      // Another address has limits of its own, and so has the next minute.
      expect(
        (await gateway.http(known[0] ?? '', { headers: { 'x-forwarded-for': '192.0.2.91' } })).status,
      ).toBe(200);
      gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
      expect((await gateway.http(known[0] ?? '', office)).status).toBe(200);
    });

    it('an address that asked for too many documents causes no further look-ups', async () => {
      const flood = { headers: { 'x-forwarded-for': '192.0.2.92' } };
      lookups = 0;
      for (let at = 0; at < 1_050; at += 50) {
        await Promise.all(Array.from({ length: 50 }, () => gateway.http('/d/nothing-here', flood)));
      }
      expect(lookups).toBe(1_000);
    });

    it('a hosted page needs no key, and its headers let nothing run or load in it', async () => {
      const page = await gateway.http(`/d/${document.public_id}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`https://api.example.com/pdf/${document.public_id}`);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        // The hash allows no other style than the one of the page.
        'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; font-src data:; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
        'x-robots-tag': expect.stringContaining('noindex'),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringMatching(/\bcamera=\(\).*\bgeolocation=\(\)/),
        // The public address is https.
        'strict-transport-security': 'max-age=31536000',
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
    ])('a hosted page with the query "%s" is rendered in the language %s', async (query, language) => {
      const page = await gateway.http(`/d/${document.public_id}${query}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`<html lang="${language}">`);
    });

    it('a PDF with ?download is an attachment, named in the language of the business', async () => {
      const response = await fetch(`${gateway.origin}/pdf/${document.public_id}?download=1`);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(pdf);
      const disposition = response.headers.get('content-disposition') ?? '';
      expect(disposition).toMatch(/^attachment; filename="receipt-9\.pdf"; filename\*=UTF-8''/);
      expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe('קבלה 9.pdf');
      expect(response.headers.get('etag')).toBe(`"${sha256}"`);
    });

    it('a PDF is served byte for byte, with its hash as the entity tag', async () => {
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

    it('a PDF with an unchanged entity tag is answered with 304', async () => {
      const headers = { 'if-none-match': `"${sha256}"` };
      const same = await gateway.http(`/pdf/${document.public_id}`, { headers });
      expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', `"${sha256}"`]);
      const other = await gateway.http(`/pdf/${document.public_id}`, {
        headers: { 'if-none-match': '"old"' },
      });
      expect(other.status).toBe(200);
    });

    it.each(['missing', 'stored'] as const)(
      'the PDF of a cancelled document shows the cancellation when its revision is %s',
      async (known) => {
        stateInBook = 'cancelled';
        revision = known;
        // A client with the PDF of before must not get 304.
        const headers = { 'if-none-match': `"${sha256}"` };
        const response = await fetch(`${gateway.origin}/pdf/${document.public_id}`, { headers });
        expect(response.status).toBe(200);
        expect(Buffer.from(await response.arrayBuffer())).toEqual(cancelledPdf);
        expect(response.headers.get('etag')).toBe(`"${cancelledSha256}"`);
      },
    );

    it('the PDF of a cancelled document is unavailable when the cancelled revision cannot be rendered', async () => {
      stateInBook = 'cancelled';
      revision = 'failing';
      const answer = await gateway.http(`/pdf/${document.public_id}`);
      expect(answer.status).toBe(errorCatalogue.engine_error.httpStatus);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text).toContain('נסו שוב');
      revision = 'missing';
      expect((await gateway.http(`/pdf/${document.public_id}`)).headers.get('etag')).toBe(
        `"${cancelledSha256}"`,
      );
    });

    it('HEAD returns the headers of a page or PDF without its body', async () => {
      const head = await gateway.http(`/pdf/${document.public_id}`, { method: 'HEAD' });
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
        200,
        '',
        String(pdf.length),
      ]);
      expect((await gateway.http(`/d/${document.public_id}`, { method: 'HEAD' })).status).toBe(200);
    });

    it.each(['/d/unknown', '/pdf/unknown', `/d/${randomUUID()}`, '/d/a.b', '/pdf/a%00b'])(
      '%s is a page in both languages that says that the document does not exist',
      async (path) => {
        const answer = await gateway.http(path);
        expect(answer.status).toBe(404);
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(answer.text).toContain('המסמך לא נמצא');
        expect(answer.text).toContain(answer.headers.get('x-request-id'));
      },
    );
  });

  describe('the page after the consent at the tax authority', () => {
    const requests: RequestOf<typeof completeConnection>[] = [];
    let connected: boolean;
    let answer: () => ReplyOf<typeof completeConnection>;
    beforeAll(async () => {
      gateway.network.answer(completeConnection, (request) => {
        requests.push(request);
        return answer();
      });
      gateway.network.answer(showConnection, ({ business_id }) => ({
        connection: connected
          ? {
              business_id,
              state: 'connected' as const,
              since: cancelledAt,
              until: null,
              connected_at: cancelledAt,
            }
          : null,
        request: null,
      }));
    });
    beforeEach(() => {
      connected = true;
      requests.length = 0;
      answer = () => ({ outcome: 'stale', business_id: null, reason: null });
    });
    const visit = (query: string) => gateway.http(`/tax-authority/connected${query}`);

    it('a visit with a valid state completes the connection and marks the business as connected', async () => {
      const { business } = await gateway.caller();
      expect(business.tax_authority_connected).toBe(false);
      answer = () => ({ outcome: 'connected', business_id: business.id, reason: null });
      const page = await visit('?code=the+code%2F&state=the-state');
      expect(requests).toEqual([{ state: 'the-state', code: 'the code/' }]);
      expect(page.status).toBe(200);
      expect(page.text).toContain('The business is connected to the tax authority');
      expect(page.text).toContain('העסק מחובר לרשות המסים');
      const shown = await gateway.network.call(showBusiness, { business_id: business.id });
      expect(shown.business).toEqual({ ...business, tax_authority_connected: true });
      expect((await changes(business.id)).at(-1)).toEqual({
        actor: 'operator',
        before: { tax_authority_connected: false },
        after: { tax_authority_connected: true },
      });
    });
    const changes = async (businessId: string) =>
      (await readTrail(gateway.database, businessId)).map(({ actor, before, after }) => ({
        actor,
        before,
        after,
      }));

    it('markConnected names the person in the trail, and marks nothing that was disconnected in the meantime', async () => {
      const { business } = await gateway.caller();
      const by = { business_id: business.id, person_id: randomUUID() };
      expect(await gateway.network.call(markConnected, by)).toEqual({ connected: true });
      expect((await changes(business.id)).at(-1)).toMatchObject({
        actor: `person:${by.person_id}`,
        after: { tax_authority_connected: true },
      });
      connected = false;
      expect(await gateway.network.call(markConnected, by)).toEqual({ connected: false });
      const shown = await gateway.network.call(showBusiness, { business_id: business.id });
      expect(shown.business.tax_authority_connected).toBe(false);
      expect((await changes(business.id)).at(-1)).toMatchObject({
        after: { tax_authority_connected: false },
      });
    });

    it('a visit for a connection that a person began leads to the console with what the authority gave', async () => {
      const console = 'https://console.example.com/authority/connected/1';
      answer = () => ({ outcome: 'other_person', business_id: null, reason: null, return_url: console });
      const page = await visit('?code=the+code%2F&state=s');
      expect(page.status).toBe(303);
      expect(page.headers.get('location')).toBe(`${console}?code=the+code%2F&state=s`);
      expect(page.headers.get('cache-control')).toBe('no-store');
    });

    it('the page runs no script, is neither indexed nor stored, and contains neither code nor state', async () => {
      const page = await visit('?code=c&state=s');
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-robots-tag': expect.stringContaining('noindex'),
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(page.text).not.toMatch(/code=|state=/);
    });

    it.each(['?code=c&state=used', '', '?code=c', `?code=c&state=${'s'.repeat(300)}`])(
      'a visit with the query "%s" is answered with 410 and the advice to start again',
      async (query) => {
        const page = await visit(query);
        expect(page.status).toBe(410);
        expect(page.text).toContain('This link was used or is too old');
        expect(page.text).toContain('הקישור כבר נוצל או שאינו בתוקף');
      },
    );

    it('a visit after the owner declined is answered with 502', async () => {
      answer = () => ({ outcome: 'failed', business_id: null, reason: 'The owner did not agree.' });
      const page = await visit('?error=access_denied&state=s');
      expect(requests).toEqual([{ state: 's', code: null }]);
      expect(page.status).toBe(502);
      expect(page.text).toContain('Please start the connection again');
    });

    it('a visit while allocation is unreachable is answered with 502', async () => {
      answer = () => {
        throw new ApiError('engine_error');
      };
      const page = await visit('?code=c&state=s');
      expect(page.status).toBe(502);
      expect(page.text).toContain('החיבור לרשות המסים לא הושלם');
    });
  });
});
