import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getArtifact, getLogo, renderArtifact, renderPage, storeLogo } from '@pinkas/contracts';
import { pdfImages } from './pdf-tools.js';
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

describe('StoreLogo', () => {
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    rendering = await startRendering();
  }, 60_000);
  afterAll(() => rendering?.stop());

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
    await rendering.network.call(renderArtifact, { business, document });
    const { pdf } = await rendering.network.call(getArtifact, { business_id: id, document_id: document.id });
    expect(await pdfImages(Buffer.from(pdf, 'base64'))).toBe(1);
  });

  it('an SVG logo is shown as a PNG', async () => {
    const id = randomUUID();
    const html = await page(sampleBusiness({ id, logo: await store(id, drawing) }));
    expect(html).toMatch(/src="data:image\/png;base64,[A-Za-z0-9+/=]+" width="460" height="230"/);
    expect(html).not.toContain('image/svg+xml');
  });

  it('GetLogo returns the picture of a logo for a message, and none of another business', async () => {
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
    await expect(rendering.network.call(renderArtifact, { business, document })).resolves.toMatchObject({
      revision: 1,
    });
  });

  it.each([
    ['a URL of another host', 'https://example.test/logo.svg', 'must be data:'],
    ['a file that is damaged', 'data:image/png;base64,AAAA', 'is not a PNG file'],
    ['a drawing that would take minutes', endless, 'takes too long to draw'],
  ])('a logo is rejected with a reason when it is %s', async (_what, logo, message) => {
    await expect(store(randomUUID(), logo)).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/logo', message: expect.stringContaining(message) }] },
    });
  });

  it('a logo is stored while another drawing takes too long', async () => {
    const id = randomUUID();
    const rejected = expect(store(id, endless)).rejects.toMatchObject({ code: 'validation_error' });
    await expect(store(id, drawing)).resolves.toHaveProperty('sha256');
    await rejected;
  });
});
