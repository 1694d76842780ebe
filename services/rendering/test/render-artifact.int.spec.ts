import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Business, getArtifact, type IssuedDocument, renderArtifact } from '@pinkas/contracts';
import { eventually, type Simulator } from '@pinkas/testkit';
import { sql } from 'kysely';
import { Artifacts } from './artifacts.js';
import { signatureReport } from './pdf-tools.js';
import type { RenderingUnderTest } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

describe('RenderArtifact', () => {
  let artifacts: Artifacts;
  let gotenberg: Simulator;
  let rendering: RenderingUnderTest;
  let business: Business;
  beforeAll(async () => {
    artifacts = await Artifacts.start({ renderTimeoutMs: 4_000, renderConcurrency: 1, renderQueueMax: 1 });
    ({ gotenberg, rendering, business } = artifacts);
  }, 60_000);
  afterAll(() => artifacts?.stop());

  const newDocument = (change: Partial<IssuedDocument> = {}) =>
    sampleDocument('tax_invoice', business, change);
  const render = (document: IssuedDocument) => rendering.network.call(renderArtifact, { document, business });
  const keyOf = (document: IssuedDocument) => ({ business_id: business.id, document_id: document.id });
  const get = (document: IssuedDocument) => rendering.network.call(getArtifact, keyOf(document));
  const confirm = (document: IssuedDocument) =>
    rendering.database.db
      .updateTable('artifact')
      .set({ confirmed_at: new Date() })
      .where('document_id', '=', document.id)
      .execute();

  it('RenderArtifact stores a signed PDF with the hash that it returns', async () => {
    const document = newDocument();
    const made = await render(document);
    expect(made).toMatchObject({ revision: 1 });
    const { pdf, sha256, revision } = await get(document);
    const bytes = Buffer.from(pdf, 'base64');
    expect(revision).toBe(1);
    expect(sha256).toBe(made.sha256);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(bytes).toHaveLength(made.size_bytes);
    expect(await signatureReport(bytes)).toContain('Signature is Valid.');
  });

  it('RenderArtifact returns the first PDF when the request is repeated', async () => {
    const document = newDocument();
    const first = await render(document);
    const second = await render(document);
    expect(second.sha256).toBe(first.sha256);
    expect((await get(document)).sha256).toBe(first.sha256);
  });

  it('RenderArtifact replaces an unconfirmed PDF when the request differs', async () => {
    const document = newDocument();
    const first = await render(document);
    const second = await render({ ...document, number: 7 });
    expect(second.sha256).not.toBe(first.sha256);
    expect((await get(document)).sha256).toBe(second.sha256);
  });

  it('RenderArtifact never replaces a confirmed PDF', async () => {
    const document = newDocument();
    const first = await render(document);
    await confirm(document);
    expect((await render(document)).sha256).toBe(first.sha256);
    await expect(render({ ...document, number: 7 })).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
    expect((await get(document)).sha256).toBe(first.sha256);
  });

  it('RenderArtifact fails with document_generation_failed before its deadline when Gotenberg fails or hangs', async () => {
    const document = newDocument();
    for (const mode of [{ fail_every: 1 }, { hang: true }]) {
      await gotenberg.mode(mode);
      await expect(render(document)).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    await gotenberg.mode({});
    await expect(get(document)).rejects.toMatchObject({ code: 'not_found' });
    // The page that hung may still hold the only room of the renderer.
    const rendered = await eventually('the document is rendered', () => render(document));
    expect(rendered).toMatchObject({ revision: 1 });
  });

  it('RenderArtifact rejects at once what exceeds its queue', async () => {
    await gotenberg.mode({ delay_ms: 500 });
    // One is rendered, one is queued: the other two are rejected before anything is rendered.
    const settled: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, () =>
        render(newDocument()).then(
          () => settled.push('made'),
          () => settled.push('refused'),
        ),
      ),
    );
    await gotenberg.mode({});
    expect(settled).toEqual(['refused', 'refused', 'made', 'made']);
  });

  it('GetArtifact does not find the PDF of another business', async () => {
    const document = newDocument();
    await render(document);
    await expect(
      rendering.network.call(getArtifact, { business_id: sampleBusiness().id, document_id: document.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('the database refuses to change or delete a final artifact', async () => {
    const { db } = rendering.database;
    const document = newDocument();
    await render(document);
    const row = db.updateTable('artifact').where('document_id', '=', document.id);
    const pdf = Buffer.from('forged');
    const forged = { pdf, sha256: createHash('sha256').update(pdf).digest(), size_bytes: pdf.length };
    await expect(row.set(forged).execute()).rejects.toThrow('an artifact is final');
    await expect(row.set({ allocation_number: '123456789' }).execute()).rejects.toThrow(
      'an artifact is final',
    );
    await confirm(document);
    await expect(row.set({ confirmed_at: null }).execute()).rejects.toThrow('an artifact is final');
    await expect(db.deleteFrom('artifact').where('document_id', '=', document.id).execute()).rejects.toThrow(
      'never deleted',
    );
    await expect(sql`truncate artifact`.execute(db)).rejects.toThrow();
  });

  it('the service is ready when it can render', async () => {
    const ready = await fetch(`http://127.0.0.1:${rendering.service.healthPort}/readyz`);
    expect(ready.status).toBe(200);
  });
});
