import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cancelArtifact, getArtifact, listArtifacts } from '@pinkas/contracts';
import { Artifacts, allocationNumber, issued } from './artifacts.js';
import { sampleDocument } from './sample-documents.js';

describe('ListArtifacts', () => {
  let artifacts: Artifacts;
  beforeAll(async () => {
    artifacts = await Artifacts.start();
  }, 60_000);
  afterAll(() => artifacts?.stop());

  type Key = { business_id: string; document_id: string };
  const list = async (key: Key) => (await artifacts.rendering.network.call(listArtifacts, key)).revisions;
  const get = (key: Key, revision?: number) =>
    artifacts.rendering.network.call(getArtifact, { ...key, ...(revision !== undefined && { revision }) });

  /** A document with three revisions: as issued, released and then numbered, and cancelled. */
  const withRevisions = async () => {
    const { document } = await artifacts.renderLarge();
    const key = artifacts.keyOf(document);
    await artifacts.release(document);
    await artifacts.settle(document, issued);
    await artifacts.revision(document, 2);
    const { business } = artifacts;
    const cancelled_at = new Date().toISOString();
    await artifacts.rendering.network.call(cancelArtifact, { document, business, cancelled_at });
    return { document, key };
  };

  it('ListArtifacts lists every revision of a document, with what each of them says', async () => {
    const { key } = await withRevisions();
    const revisions = await list(key);
    expect(revisions).toEqual(
      [
        { revision: 1, original: true, allocation_number: null, cancelled: false },
        { revision: 2, original: false, allocation_number: allocationNumber, cancelled: false },
        { revision: 3, original: false, allocation_number: allocationNumber, cancelled: true },
      ].map((shown) => ({
        ...shown,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        size_bytes: expect.any(Number),
        made_at: expect.any(String),
      })),
    );
    for (const { revision, sha256, size_bytes } of revisions) {
      const found = await get(key, revision);
      expect(found).toMatchObject({ revision, sha256 });
      expect(Buffer.from(found.pdf, 'base64')).toHaveLength(size_bytes);
    }
  });

  it('ListArtifacts says original of a later revision before anything was released', async () => {
    const { document } = await artifacts.renderLarge();
    await artifacts.settle(document, issued);
    await artifacts.revision(document, 2);
    const revisions = await list(artifacts.keyOf(document));
    expect(revisions.map(({ original }) => original)).toEqual([true, true]);
  });

  it('ListArtifacts says original of no revision of a type that has none', async () => {
    const { document } = await artifacts.render(sampleDocument('quote', artifacts.business));
    expect((await list(artifacts.keyOf(document))).map(({ original }) => original)).toEqual([false]);
  });

  it('ListArtifacts derives what the previous release did not record', async () => {
    const { key } = await withRevisions();
    const { db } = artifacts.rendering.database;
    const rows = await db
      .selectFrom('artifact')
      .selectAll()
      .where('document_id', '=', key.document_id)
      .execute();
    const release = await db
      .selectFrom('artifact_release')
      .selectAll()
      .where('document_id', '=', key.document_id)
      .executeTakeFirstOrThrow();
    const old = { ...key, document_id: randomUUID() };
    await db
      .insertInto('artifact')
      .values(rows.map((row) => ({ ...row, ...old, original: null })))
      .execute();
    await db
      .insertInto('artifact_release')
      .values({ ...release, ...old })
      .execute();
    expect((await list(old)).map(({ original }) => original)).toEqual([true, false, false]);
  });

  it('a stored revision never changes what it says of itself', async () => {
    const { document } = await artifacts.render();
    await expect(
      artifacts.rendering.database.db
        .updateTable('artifact')
        .set({ original: false })
        .where('document_id', '=', document.id)
        .execute(),
    ).rejects.toThrow('an artifact is final');
  });

  it('ListArtifacts returns nothing for a document of another business and for an unknown one', async () => {
    const { document } = await artifacts.render();
    const key = artifacts.keyOf(document);
    expect(await list({ ...key, business_id: randomUUID() })).toEqual([]);
    expect(await list({ ...key, document_id: randomUUID() })).toEqual([]);
  });

  it('GetArtifact returns not_found for a revision that does not exist and for one of another business', async () => {
    const { document } = await artifacts.render();
    const key = artifacts.keyOf(document);
    for (const [other, revision] of [
      [key, 2],
      [{ ...key, business_id: randomUUID() }, 1],
      [{ ...key, document_id: randomUUID() }, 1],
    ] as const) {
      await expect(get(other, revision)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('GetArtifact returns no bytes of a revision that the caller has', async () => {
    const { key } = await withRevisions();
    const [first] = await list(key);
    const known_sha256 = [first?.sha256 ?? ''];
    const answer = (revision: number) =>
      artifacts.rendering.network.call(getArtifact, { ...key, revision, known_sha256 });
    expect(await answer(1)).toMatchObject({ revision: 1, pdf: '' });
    expect((await answer(2)).pdf).not.toBe('');
  });
});
