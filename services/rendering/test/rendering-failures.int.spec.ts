import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Business, getArtifact, type IssuedDocument, renderArtifact } from '@pinkas/contracts';
import { eventually, type Simulator } from '@pinkas/testkit';
import { signatureReport } from '@pinkas/testkit/pdf';
import { sql } from 'kysely';
import { Artifacts } from './artifacts.js';
import { type RenderingUnderTest } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

interface Readiness {
  ready: boolean;
  reasons: string[];
  warnings: string[];
}

describe('RenderArtifact', () => {
  let artifacts: Artifacts;
  let gotenberg: Simulator;
  let rendering: RenderingUnderTest;
  let business: Business;
  beforeAll(async () => {
    artifacts = await Artifacts.start({ renderTimeoutMs: 4_000, renderConcurrency: 1, renderQueueMax: 1 });
    ({ gotenberg, rendering, business } = artifacts);
  });
  afterAll(() => artifacts?.stop());

  const newDocument = (change: Partial<IssuedDocument> = {}) =>
    sampleDocument('tax_invoice', business, change);
  const render = (document: IssuedDocument, attempt = 1) =>
    rendering.network.call(renderArtifact, { document, business, attempt });
  const keyOf = (document: IssuedDocument) => ({ business_id: business.id, document_id: document.id });
  const get = (document: IssuedDocument) => rendering.network.call(getArtifact, keyOf(document));
  const compareAll = () =>
    rendering.database.db
      .updateTable('artifact_comparison')
      .set({ compared_until: sql<Date>`now()` })
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

  it('RenderArtifact replaces the PDF of an earlier attempt, and an earlier one that comes last changes nothing', async () => {
    const document = newDocument();
    const first = await render(document, 1);
    const second = await render({ ...document, number: 7 }, 2);
    expect(second.sha256).not.toBe(first.sha256);
    for (const number of [document.number, 7]) {
      await expect(render({ ...document, number }, 1)).rejects.toMatchObject({
        code: 'document_generation_failed',
      });
    }
    expect((await get(document)).sha256).toBe(second.sha256);
  });

  it('RenderArtifact never replaces a PDF that was compared with the book', async () => {
    const document = newDocument();
    const first = await render(document);
    await compareAll();
    expect((await render(document)).sha256).toBe(first.sha256);
    await expect(render({ ...document, number: 7 }, 2)).rejects.toMatchObject({
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

  it('getArtifact does not find the PDF of another business', async () => {
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
    await compareAll();
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

describe('readiness', () => {
  let artifacts: Artifacts;
  let gotenberg: Simulator;
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    artifacts = await Artifacts.start();
    ({ gotenberg, rendering } = artifacts);
  });
  afterAll(() => artifacts?.stop());
  /** Once, whatever comes of it. */
  const render = () => {
    const { business } = artifacts;
    const document = sampleDocument('tax_invoice', business);
    return rendering.network.call(renderArtifact, { document, business, attempt: 1 });
  };
  const readiness = async () => {
    const answer = await fetch(`http://127.0.0.1:${rendering.service.healthPort}/readyz`);
    return { status: answer.status, ...((await answer.json()) as Readiness) };
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${rendering.service.healthPort}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const inDays = (count: number) => new Date(Date.now() + count * 86_400_000);

  it('readiness warns of a certificate that expires soon, and fails when it has expired', async () => {
    expect(await readiness()).toEqual({ status: 200, ready: true, reasons: [], warnings: [] });
    rendering.clock.now = inDays(350);
    expect(await readiness()).toMatchObject({
      status: 200,
      ready: true,
      warnings: [
        expect.stringMatching(/^the signing certificate expires in 1\d days$/),
        expect.stringMatching(/^the certificate of test documents expires in 1\d days$/),
      ],
    });
    expect(await metric('pinkas_signing_certificate_days_left')).toBeCloseTo(15, 0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
    rendering.clock.now = inDays(400);
    expect(await readiness()).toMatchObject({
      status: 503,
      ready: false,
      reasons: ['the signing certificate has expired'],
    });
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    rendering.clock.now = new Date();
    expect((await readiness()).status).toBe(200);
  });

  it('a document is rendered after five pages of another business have failed', async () => {
    // Every page fails, and every self-test after it is rendered.
    await gotenberg.mode({ fail_every: 2 });
    await expect(render()).resolves.toMatchObject({ revision: 1 });
    for (let time = 0; time < 5; time += 1) {
      await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    await gotenberg.mode({});
    expect((await readiness()).status).toBe(200);
    const other = sampleBusiness();
    const document = sampleDocument('tax_invoice', other);
    await expect(
      rendering.network.call(renderArtifact, { document, business: other, attempt: 1 }),
    ).resolves.toMatchObject({ revision: 1 });
  });

  it('readiness fails while the circuit of the renderer is open, and returns when rendering works', async () => {
    await gotenberg.mode({ fail_every: 1 });
    for (let time = 0; time < 6; time += 1) {
      await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    expect(await readiness()).toMatchObject({
      status: 503,
      reasons: [expect.stringContaining('the circuit of the renderer is open')],
    });
    expect(await metric('pinkas_renderer_circuit_open')).toBe(1);
    const before = await gotenberg.read<{ failed: number }>('/_calls');
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    const after = await gotenberg.read<{ failed: number }>('/_calls');
    // At most one probe was sent in between.
    expect(after.failed - before.failed).toBeLessThanOrEqual(1);
    await gotenberg.mode({});
    await eventually('rendering is ready again', async () => (await readiness()).ready);
    expect(await metric('pinkas_renderer_circuit_open')).toBe(0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
  });
});
