import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderPage } from '@pinkas/contracts';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

describe('rendering.page.render', () => {
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    rendering = await startRendering();
  }, 60_000);
  afterAll(() => rendering?.stop());

  it('answers a page that carries its own fonts and shows the present state', async () => {
    const business = sampleBusiness();
    const { html } = await rendering.network.ask(renderPage, {
      business,
      document: sampleDocument('tax_invoice', business),
      state: { status: 'closed', paid: 3009, allocation_number: '123456789', cancelled_at: null },
      pdf_url: 'https://example.test/p/abc',
    });
    expect(html).toContain('src:url(data:font/woff2;base64,');
    expect(html.replace(/url\(data:/g, '')).not.toContain('url(');
    expect(html).toContain('<a href="https://example.test/p/abc">');
    expect(html).toContain('123456789');
    expect(html).toContain('סגור');
  });
});
