import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getArtifact, keepLogo, renderArtifact, renderPage } from '@pinkas/contracts';
import { pdfImages } from './pdf-tools.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

/** A red square of 2 × 2 pixels. */
const pixels =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IKAARAwQCgAczgPB+fo/QAAAAABJRU5ErkJggg==';
const drawing = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><title>x</title><rect width="20" height="10" fill="#0b6e4f"/></svg>').toString('base64')}`;

describe('rendering.logo.keep', () => {
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    rendering = await startRendering();
  }, 60_000);
  afterAll(() => rendering?.stop());

  const page = async (business: ReturnType<typeof sampleBusiness>) => {
    const { html } = await rendering.network.ask(renderPage, {
      business,
      document: sampleDocument('receipt', business),
      state: { status: 'closed', paid: 0, allocation_number: null, cancelled_at: null },
      pdf_url: 'https://example.test/p/1',
    });
    return html;
  };

  it('keeps a picture once, and shows it on the page and in the PDF of its business', async () => {
    const id = randomUUID();
    const logo = await rendering.network.ask(keepLogo, { business_id: id, logo: pixels });
    expect(await rendering.network.ask(keepLogo, { business_id: id, logo: pixels })).toEqual(logo);
    const business = sampleBusiness({ id, logo });
    expect(await page(business)).toMatch(
      /<img class="logo" src="data:image\/png;base64,[A-Za-z0-9+/=]+" width="2" height="2" alt="">/,
    );
    const document = sampleDocument('receipt', business);
    await rendering.network.ask(renderArtifact, { business, document });
    const { pdf } = await rendering.network.ask(getArtifact, { business_id: id, document_id: document.id });
    expect(await pdfImages(Buffer.from(pdf, 'base64'))).toBe(1);
  });

  it('keeps a drawing cleaned', async () => {
    const id = randomUUID();
    const logo = await rendering.network.ask(keepLogo, { business_id: id, logo: drawing });
    const html = await page(sampleBusiness({ id, logo }));
    const [, base64 = ''] = /src="data:image\/svg\+xml;base64,([^"]+)"/.exec(html) ?? [];
    expect(Buffer.from(base64, 'base64').toString()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" width="1000.00" height="500.00"><rect width="20" height="10" fill="#0b6e4f"/></svg>',
    );
  });

  it('shows no business the picture of another', async () => {
    const logo = await rendering.network.ask(keepLogo, { business_id: randomUUID(), logo: drawing });
    expect(await page(sampleBusiness({ logo }))).not.toContain('<img');
  });

  it('holds up no document for a picture that is not there', async () => {
    const business = sampleBusiness({ logo: { sha256: 'ab'.repeat(32) } });
    const document = sampleDocument('receipt', business);
    await expect(rendering.network.ask(renderArtifact, { business, document })).resolves.toMatchObject({
      revision: 1,
    });
  });

  it('refuses what is no picture, and says why', async () => {
    await expect(
      rendering.network.ask(keepLogo, { business_id: randomUUID(), logo: 'https://example.test/logo.svg' }),
    ).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/logo', message: expect.stringContaining('must be data:') }] },
    });
  });
});
