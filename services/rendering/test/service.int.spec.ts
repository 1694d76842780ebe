import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  cancelArtifact,
  getArtifact,
  getLogo,
  printReport,
  renderArtifact,
  renderDraft,
  renderPage,
  storeLogo,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { pdfImages, pdfInfo, taggedElements } from '@pinkas/testkit/pdf';
import { InvalidLogoError, parseLogoUrl } from '../src/logo/logo.js';
import { LogoRasterizer } from '../src/logo/logo-rasterizer.js';
import { OrphanPurger } from '../src/store/orphan-purger.js';
import { largeTotals } from './artifacts.js';
import { conformanceFindings } from './pdf-conformance.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

/** A red square of 2 × 2 pixels. */
const pixels =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IKAARAwQCgAczgPB+fo/QAAAAABJRU5ErkJggg==';
const svgUrl = (content: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">${content}</svg>`).toString('base64')}`;
const drawing = svgUrl('<title>x</title><rect width="20" height="10" fill="#0b6e4f"/>');
/** Minutes of work for librsvg. */
const endless = svgUrl(
  `<filter id="f"><feMorphology radius="200"/><feConvolveMatrix order="99" kernelMatrix="${'1 '.repeat(9_801)}"/></filter>${'<rect filter="url(#f)" width="20" height="10"/>'.repeat(100)}`,
);

let rendering: RenderingUnderTest;
beforeAll(async () => {
  rendering = await startRendering();
});
afterAll(() => rendering?.stop());

describe('storeLogo', () => {
  const store = (businessId: string, logo: string) =>
    rendering.network.call(storeLogo, { business_id: businessId, logo });
  const page = async (business: ReturnType<typeof sampleBusiness>) => {
    const { html } = await rendering.network.call(renderPage, {
      business,
      document: sampleDocument('receipt', business),
      state: { status: 'closed', paid: 0, allocation_number: null, cancelled_at: null },
      pdf_url: 'https://example.test/p/1',
    });
    return html;
  };

  it('a logo is stored once and shown on the page and in the PDF of its business', async () => {
    const id = randomUUID();
    const logo = await store(id, pixels);
    expect(await store(id, pixels)).toEqual(logo);
    const business = sampleBusiness({ id, logo });
    expect(await page(business)).toMatch(
      /<img class="logo" src="data:image\/png;base64,[A-Za-z0-9+/=]+" width="2" height="2" alt="">/,
    );
    const document = sampleDocument('receipt', business);
    await rendering.render({ business, document, attempt: 1 });
    const { pdf } = await rendering.network.call(getArtifact, { business_id: id, document_id: document.id });
    expect(await pdfImages(Buffer.from(pdf, 'base64'))).toBe(2);
  });

  it('an SVG logo is shown as a PNG', async () => {
    const id = randomUUID();
    const html = await page(sampleBusiness({ id, logo: await store(id, drawing) }));
    expect(html).toMatch(/src="data:image\/png;base64,[A-Za-z0-9+/=]+" width="460" height="230"/);
    expect(html).not.toMatch(/<img[^>]*image\/svg/);
  });

  it('getLogo returns the picture of a logo for a message, and none of another business', async () => {
    const id = randomUUID();
    const logo = await store(id, drawing);
    const found = await rendering.network.call(getLogo, { business_id: id, logo });
    expect(found).toMatchObject({ width: 460, height: 230 });
    const png = Buffer.from(found.png, 'base64');
    expect(createHash('sha256').update(png).digest('hex')).toBe(logo.sha256);
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    await expect(rendering.network.call(getLogo, { business_id: randomUUID(), logo })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('a business is never shown the logo of another', async () => {
    const logo = await store(randomUUID(), drawing);
    expect(await page(sampleBusiness({ logo }))).not.toContain('<img');
  });

  it('a document is issued without a logo that is missing', async () => {
    const business = sampleBusiness({ logo: { sha256: 'ab'.repeat(32) } });
    const document = sampleDocument('receipt', business);
    await expect(
      rendering.network.call(renderArtifact, { business, document, attempt: 1 }),
    ).resolves.toMatchObject({
      revision: 1,
    });
  });

  it.each([
    ['a URL of another host', 'https://example.test/logo.svg', 'must be data:'],
    ['a file that is damaged', 'data:image/png;base64,AAAA', 'is not a PNG file'],
  ])('a logo is rejected with a reason when it is %s', async (_what, logo, message) => {
    await expect(store(randomUUID(), logo)).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/logo', message: expect.stringContaining(message) }] },
    });
  });

  // By the rasterizer: the limit of the operation is a few seconds, in which a machine without processor time judges no drawing.
  it('a business whose drawings would take minutes is refused more than three at once, and holds up no other', async () => {
    const rasterizer = rendering.service.app.get(LogoRasterizer, { strict: false });
    const draw = (id: string, logo: string) =>
      rasterizer.rasterize(id, parseLogoUrl(logo), AbortSignal.timeout(150_000));
    const id = randomUUID();
    const ended: Error[] = [];
    const slow = Array.from({ length: 4 }, () =>
      draw(id, endless).catch((error: Error) => ended.push(error)),
    );
    await draw(randomUUID(), drawing);
    // In both places, two of them would have ended before it.
    expect(ended.filter((error) => error instanceof InvalidLogoError).length).toBeLessThan(2);
    await Promise.all(slow);
    expect(ended.map(({ name, message }) => [name, message])).toEqual([
      ['QueueFullError', '2 are queued already'],
      ...Array(3).fill(['InvalidLogoError', 'takes too long to draw: it must be simpler']),
    ]);
  });

  it('a logo that was only looked at is shown for an hour, and one that was saved for good', async () => {
    const id = randomUUID();
    const logo = await rendering.network.call(storeLogo, { business_id: id, logo: pixels, preview: true });
    const saved = await store(id, drawing);
    const isShown = async (ref: typeof logo) =>
      (await page(sampleBusiness({ id, logo: ref }))).includes('<img');
    const purger = rendering.service.app.get(OrphanPurger, { strict: false });
    await purger.tickNow();
    expect(await isShown(logo)).toBe(true);
    rendering.clock.now = new Date(Date.now() + 61 * 60_000);
    await purger.tickNow();
    rendering.clock.now = new Date();
    expect([await isShown(logo), await isShown(saved)]).toEqual([false, true]);
  });
});

describe('renderPage', () => {
  it('renderPage returns a page that contains its fonts and shows the present state', async () => {
    const business = sampleBusiness();
    const { html } = await rendering.network.call(renderPage, {
      business,
      document: sampleDocument('tax_invoice', business),
      state: { status: 'closed', paid: 3009, allocation_number: '123456789', cancelled_at: null },
      pdf_url: 'https://example.test/p/abc',
    });
    expect(html).toContain('src:url(data:font/woff2;base64,');
    expect(html.replace(/url\(data:/g, '')).not.toContain('url(');
    expect(html).toContain('<a href="https://example.test/p/abc">');
    expect(html).toContain('123456789');
    expect(html).toContain('שולם');
  });

  it('renderDraft returns a page that states that it is a draft, and has neither a number nor words of an issued document', async () => {
    for (const [language, word] of [
      ['he', 'טיוטה'],
      ['en', 'Draft'],
    ] as const) {
      const business = sampleBusiness({ language });
      const { id, public_id, number, issued_at, ...facts } = sampleDocument('tax_invoice', business);
      const draft = { ...facts, customer: { ...facts.customer, id: null } };
      const { html } = await rendering.network.call(renderDraft, { draft, business });
      expect(html).toContain(`<p class="marks">${word}</p>`);
      expect(html).toContain(`aria-label="${word}"`);
      expect(html).toContain(facts.items[0]?.description);
      for (const absent of [
        'class="number"',
        'מסמך ממוחשב',
        'class="production"',
        'class="genuine"',
        public_id,
      ]) {
        expect(html).not.toContain(absent);
      }
      expect([id, number, issued_at].every(Boolean)).toBe(true);
    }
  });

  it('renderPage states that the number is being obtained as long as the latest PDF states it', async () => {
    const business = sampleBusiness();
    const document = sampleDocument('tax_invoice', business, { totals: largeTotals, discount: null });
    const { sha256 } = await rendering.render({ business, document, attempt: 1 });
    const page = async (allocationNumber: string | null, language: 'he' | 'en') => {
      const state = {
        status: 'open',
        paid: 0,
        allocation_number: allocationNumber,
        cancelled_at: null,
      } as const;
      const request = { business, document, state, pdf_url: 'https://example.test/p/1', language };
      return (await rendering.network.call(renderPage, request)).html;
    };
    expect(await page(null, 'he')).toContain('בתהליך קבלה מרשות המסים');
    expect(await page(null, 'en')).toContain('Being obtained');
    expect(await page('123456789', 'he')).not.toContain('בתהליך קבלה');
    await rendering.network.publish(allocationSettled, document.id, {
      document,
      business,
      allocation: { status: 'failed', number: null, reason: 'refused' },
      pending: false,
      artifact_sha256: sha256,
    });
    await eventually('the page does not say so any more', async () => {
      const html = await page(null, 'he');
      return !html.includes('בתהליך קבלה') && html.includes('7,080.00');
    });
  });

  it('renderPage shows the fingerprints of the PDF that its address serves, and none before that PDF is made', async () => {
    const business = sampleBusiness();
    const document = sampleDocument('order', business);
    const first = await rendering.render({ business, document, attempt: 1 });
    const cancelledAt = '2026-03-09T10:00:00.000Z';
    const page = async (cancelled: string | null) => {
      const { html } = await rendering.network.call(renderPage, {
        business,
        document,
        state: {
          status: cancelled === null ? 'open' : 'cancelled',
          paid: 0,
          allocation_number: null,
          cancelled_at: cancelled,
        },
        pdf_url: 'https://example.test/p/1',
        language: 'en',
      });
      return [...html.matchAll(/<code dir="ltr">([0-9a-f]{64})<\/code>/g)].map(([, print]) => print);
    };
    const [file, certificate] = await page(null);
    expect(file).toBe(first.sha256);
    const stored = await rendering.database.db
      .selectFrom('artifact')
      .select('certificate_sha256')
      .where('document_id', '=', document.id)
      .executeTakeFirstOrThrow();
    expect(certificate).toBe(stored.certificate_sha256.toString('hex'));
    expect(await page(cancelledAt)).toEqual([]);
    const second = await rendering.network.call(cancelArtifact, {
      business,
      document,
      cancelled_at: cancelledAt,
    });
    expect(await page(cancelledAt)).toEqual([second.sha256, certificate]);
  });

  it('PrintReport returns an accessible, archivable PDF with title and author of its page, and an error for one that names another file', async () => {
    const html = `<!doctype html><html lang="he" dir="rtl"><head><title>סיכום &#38; דוח</title><meta name="author" content="עסק לדוגמה"><style>@page{@bottom-left{content:counter(page)}}</style></head><body>
<h1>סיכום</h1>
<table><thead><tr><th>סוג</th><th>נטו</th><th>סכום</th></tr></thead><tbody><tr><td>קבלה</td><td></td><td>12,000.00</td></tr></tbody></table>
</body></html>`;
    const { pdf } = await eventually('a report', () =>
      rendering.network.call(printReport, { title: 'Totals by type', html }),
    );
    const bytes = Buffer.from(pdf, 'base64');
    expect(await pdfInfo(bytes)).toMatchObject({
      Title: 'סיכום & דוח',
      Author: 'עסק לדוגמה',
      Creator: 'Pinkas',
      Form: 'none',
    });
    expect(await conformanceFindings(bytes)).toEqual([]);
    const rows = (await taggedElements(bytes)).filter(({ type }) => type === 'TR');
    expect(rows.map(({ children }) => children.length)).toEqual([3, 3]);
    const naming = html.replace('<h1>', '<img src="other.png"><h1>');
    await expect(
      rendering.network.call(printReport, { title: 'Report', html: naming }),
    ).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
  });

  it('reports of one business wait behind those of others, and beyond some the printer is busy', async () => {
    const rows = '<tr><td>קבלה</td><td>12,000.00</td></tr>'.repeat(400);
    const html = (body: string) =>
      `<!doctype html><html lang="he" dir="rtl"><head><title>דוח</title></head><body><h1>דוח</h1>${body}</body></html>`;
    const ended: string[] = [];
    const print = (business_id: string, name: string, body: string) =>
      rendering.network.call(printReport, { business_id, title: 'Report', html: html(body) }).then(
        () => ended.push(name),
        (error: { code: string }) => ended.push(`${name} ${error.code}`),
      );
    const [many, other] = [randomUUID(), randomUUID()];
    const waiting = Array.from({ length: 5 }, () => print(many, 'many', `<table>${rows}</table>`));
    await eventually('one more than may wait is refused', () => ended.length > 0);
    await print(other, 'other', '<p>שורה</p>');
    await Promise.all(waiting);
    expect(ended[0]).toBe('many engine_error');
    expect(ended.indexOf('other')).toBeGreaterThan(0);
    expect(ended.indexOf('other')).toBeLessThan(4);
    expect(ended.filter((name) => name === 'many')).toHaveLength(4);
  });
});
