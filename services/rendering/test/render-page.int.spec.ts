import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  cancelArtifact,
  printReport,
  renderArtifact,
  renderPage,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { largeTotals } from './artifacts.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

describe('RenderPage', () => {
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    rendering = await startRendering();
  }, 60_000);
  afterAll(() => rendering?.stop());

  it('RenderPage returns a page that contains its fonts and shows the present state', async () => {
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

  it('RenderPage says that the number is being obtained as long as the latest PDF says so', async () => {
    const business = sampleBusiness();
    const document = sampleDocument('tax_invoice', business, { totals: largeTotals, discount: null });
    await rendering.network.call(renderArtifact, { business, document });
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
    });
    await eventually('the page does not say so any more', async () => {
      const html = await page(null, 'he');
      return !html.includes('בתהליך קבלה') && html.includes('7,080.00');
    });
  });

  it('RenderPage shows the fingerprints of the PDF that its address serves, and none before that PDF is made', async () => {
    const business = sampleBusiness();
    const document = sampleDocument('order', business);
    const first = await rendering.network.call(renderArtifact, { business, document });
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

  it('PrintReport returns a page as a PDF under its title, and an error for one that names another file', async () => {
    const html =
      '<!doctype html><html lang="he"><head><title>דוח</title></head><body><h1>סיכום</h1></body></html>';
    const { pdf } = await rendering.network.call(printReport, { title: 'Totals by type', html });
    const bytes = Buffer.from(pdf, 'base64').toString('latin1');
    expect(bytes).toMatch(/^%PDF-1\.\d/);
    expect(bytes).toContain('/Title (Totals by type ');
    const naming = html.replace('<h1>', '<img src="other.png"><h1>');
    await expect(
      rendering.network.call(printReport, { title: 'Report', html: naming }),
    ).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
  });
});
