import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clearTestArtifacts, type IssuedDocument, numberArtifact, renderArtifact } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { Artifacts, allocationNumber, failed, issued } from './artifacts.js';
import { pdfText } from './pdf-tools.js';
import { sampleDocument } from './sample-documents.js';

describe('NumberArtifact', () => {
  let artifacts: Artifacts;
  beforeAll(async () => {
    artifacts = await Artifacts.start();
  }, 60_000);
  afterAll(() => artifacts?.stop());

  const numbered = (document: IssuedDocument) =>
    artifacts.rendering.network.call(numberArtifact, {
      document,
      business: artifacts.business,
      allocation_number: allocationNumber,
    });

  it('a PDF that is fetched while its second rendering is delayed shows the number, and is made once', async () => {
    const { document } = await artifacts.render();
    await artifacts.gotenberg.mode({ delay_ms: 1_000 });
    const event = randomUUID();
    await artifacts.settle(document, issued, event);
    const artifact = await numbered(document);
    await artifacts.gotenberg.mode({});
    expect(artifact).toMatchObject({ revision: 2, allocation_number: allocationNumber, cancelled: false });
    expect(await pdfText(Buffer.from(artifact.pdf, 'base64'))).toContain(allocationNumber);
    await artifacts.handled(event);
    expect(await artifacts.rows(document)).toMatchObject([
      { revision: 1, allocation_number: null },
      { revision: 2, allocation_number: allocationNumber, confirmed_at: expect.any(Date) },
    ]);
    await artifacts.published(document);
    expect(artifacts.publishedFor(document)).toMatchObject([
      { revision: 2, allocation_number: allocationNumber },
    ]);
  });

  it('a late number whose PDF a visitor had made is published all the same, once', async () => {
    const { document } = await artifacts.render();
    await artifacts.settle(document, failed);
    await artifacts.published(document);
    expect(await numbered(document)).toMatchObject({ revision: 2 });
    expect(await numbered(document)).toMatchObject({ revision: 2 });
    await artifacts.settle(document, issued);
    await artifacts.published(document, 2);
    const repeated = randomUUID();
    await artifacts.settle(document, issued, repeated);
    await artifacts.handled(repeated);
    expect(artifacts.publishedFor(document)).toMatchObject([
      { revision: 1, allocation_number: null },
      { revision: 2, allocation_number: allocationNumber },
    ]);
  });

  it('NumberArtifact fails at once while rendering fails', async () => {
    const { document } = await artifacts.render();
    await artifacts.gotenberg.mode({ fail_every: 1 });
    await expect(numbered(document)).rejects.toMatchObject({ code: 'document_generation_failed' });
    await artifacts.gotenberg.mode({});
    expect(await artifacts.rows(document)).toHaveLength(1);
  });

  it('NumberArtifact answers not_found for a document without a PDF', async () => {
    await expect(numbered(sampleDocument('tax_invoice', artifacts.business))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('the PDFs of a test book can be cleared, after which its events do nothing, and a live book is refused', async () => {
    const { network } = artifacts.rendering;
    const business = { ...artifacts.business, id: testBookOf(artifacts.business.id) };
    const document = sampleDocument('tax_invoice', business);
    await network.call(renderArtifact, { document, business });
    await expect(network.call(clearTestArtifacts, { business_id: artifacts.business.id })).rejects.toThrow();
    expect(await network.call(clearTestArtifacts, { business_id: business.id })).toEqual({ deleted: 1 });
    expect(await artifacts.rows(document)).toEqual([]);
    const event = randomUUID();
    await artifacts.settle(document, issued, event);
    await artifacts.handled(event);
    expect(artifacts.publishedFor(document)).toEqual([]);
  });

  it('an item of a test document provokes that it cannot be rendered', async () => {
    const business = { ...artifacts.business, id: testBookOf(artifacts.business.id) };
    const [item] = sampleDocument('quote', business).items;
    const items = item ? [{ ...item, sku: 'test_document_generation_failed' }] : [];
    const render = (of: typeof business) =>
      artifacts.rendering.network.call(renderArtifact, {
        document: sampleDocument('quote', of, { items }),
        business: of,
      });
    await expect(render(business)).rejects.toMatchObject({ code: 'document_generation_failed' });
    expect((await render(artifacts.business)).revision).toBe(1);
  });
});
