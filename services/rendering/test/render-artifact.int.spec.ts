import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getArtifact, type IssuedDocument, renderArtifact } from '@pinkas/contracts';
import { sql } from 'kysely';
import { signatureReport } from './pdf-tools.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

describe('rendering.artifact.render', () => {
  let rendering: RenderingUnderTest;
  const business = sampleBusiness();
  beforeAll(async () => {
    rendering = await startRendering({ renderTimeoutMs: 4_000, renderConcurrency: 1, renderQueueMax: 1 });
  }, 60_000);
  afterAll(() => rendering?.stop());

  const newDocument = (change: Partial<IssuedDocument> = {}) =>
    sampleDocument('tax_invoice', business, change);
  const render = (document: IssuedDocument) => rendering.network.ask(renderArtifact, { document, business });
  const keyOf = (document: IssuedDocument) => ({ business_id: business.id, document_id: document.id });
  const get = (document: IssuedDocument) => rendering.network.ask(getArtifact, keyOf(document));
  const confirm = (document: IssuedDocument) =>
    rendering.database.db
      .updateTable('artifact')
      .set({ confirmed_at: new Date() })
      .where('document_id', '=', document.id)
      .execute();

  it('stores a signed PDF whose hash is the one it answers', async () => {
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

  it('answers the same for the same document again, and replaces nothing', async () => {
    const document = newDocument();
    const first = await render(document);
    const second = await render(document);
    expect(second.sha256).toBe(first.sha256);
    expect((await get(document)).sha256).toBe(first.sha256);
  });

  it('lets what was rolled back give way to other facts', async () => {
    const document = newDocument();
    const first = await render(document);
    const second = await render({ ...document, number: 7 });
    expect(second.sha256).not.toBe(first.sha256);
    expect((await get(document)).sha256).toBe(second.sha256);
  });

  it('never replaces what is confirmed', async () => {
    const document = newDocument();
    const first = await render(document);
    await confirm(document);
    expect((await render(document)).sha256).toBe(first.sha256);
    await expect(render({ ...document, number: 7 })).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
    expect((await get(document)).sha256).toBe(first.sha256);
  });

  it('refuses with document_generation_failed, within its time, when the printer fails or hangs', async () => {
    const document = newDocument();
    for (const mode of [{ fail_every: 1 }, { hang: true }]) {
      await rendering.gotenberg.mode(mode);
      await expect(render(document)).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    await rendering.gotenberg.mode({});
    await expect(get(document)).rejects.toMatchObject({ code: 'not_found' });
    await expect(render(document)).resolves.toMatchObject({ revision: 1 });
  });

  it('refuses at once what it has no room for', async () => {
    await rendering.gotenberg.mode({ delay_ms: 500 });
    // One prints, one waits: the other two have their refusal before anything is printed.
    const settled: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, () =>
        render(newDocument()).then(
          () => settled.push('made'),
          () => settled.push('refused'),
        ),
      ),
    );
    await rendering.gotenberg.mode({});
    expect(settled).toEqual(['refused', 'refused', 'made', 'made']);
  });

  it('does not find what is not there, nor what is another business’s', async () => {
    const document = newDocument();
    await render(document);
    await expect(
      rendering.network.ask(getArtifact, { business_id: sampleBusiness().id, document_id: document.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is guarded in the database too', async () => {
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

  it('is ready when it can print', async () => {
    const ready = await fetch(`http://127.0.0.1:${rendering.service.healthPort}/readyz`);
    expect(ready.status).toBe(200);
  });
});
