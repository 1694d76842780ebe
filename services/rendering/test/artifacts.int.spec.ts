import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelArtifact,
  clearTestArtifacts,
  findArtifact,
  getArtifact,
  type IssuedDocument,
  listArtifacts,
  numberArtifact,
  releaseArtifact,
  renderArtifact,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import { compact, pdfText } from '@pinkas/testkit/pdf';
import { sql } from 'kysely';
import { Artifacts, allocationNumber, failed, issued } from './artifacts.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const original = compact('מקור | מסמך ממוחשב');
const copy = compact('העתק | מסמך ממוחשב');

let artifacts: Artifacts;
beforeAll(async () => {
  artifacts = await Artifacts.start();
});
afterAll(() => artifacts?.stop());

describe('numberArtifact', () => {
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
      { revision: 2, allocation_number: allocationNumber },
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

  it('numberArtifact fails at once while rendering fails', async () => {
    const { document } = await artifacts.render();
    await artifacts.gotenberg.mode({ fail_every: 1 });
    await expect(numbered(document)).rejects.toMatchObject({ code: 'document_generation_failed' });
    await artifacts.gotenberg.mode({});
    expect(await artifacts.rows(document)).toHaveLength(1);
  });

  it('numberArtifact answers not_found for a document without a PDF', async () => {
    await expect(numbered(sampleDocument('tax_invoice', artifacts.business))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('the PDFs of a test book can be cleared, after which its events do nothing, and a live book is refused', async () => {
    const { network } = artifacts.rendering;
    const business = { ...artifacts.business, id: testBookOf(artifacts.business.id) };
    const document = sampleDocument('tax_invoice', business);
    await artifacts.rendering.render({ document, business, attempt: 1 });
    await expect(network.call(clearTestArtifacts, { business_id: artifacts.business.id })).rejects.toThrow();
    expect(await network.call(clearTestArtifacts, { business_id: business.id })).toEqual({
      deleted: 1,
      more: false,
    });
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
        attempt: 1,
      });
    await expect(render(business)).rejects.toMatchObject({ code: 'document_generation_failed' });
    expect((await render(artifacts.business)).revision).toBe(1);
  });
});

describe('releaseArtifact', () => {
  const renderNew = async () => {
    const { document } = await artifacts.render();
    return { document, key: artifacts.keyOf(document) };
  };
  const releasesOf = (documentId: string) =>
    artifacts.rendering.database.db
      .selectFrom('artifact_release')
      .select('released_at')
      .where('document_id', '=', documentId)
      .execute();

  it('releaseArtifact returns the latest PDF, and records only the first release', async () => {
    const { key } = await renderNew();
    const first = await artifacts.rendering.network.call(releaseArtifact, key);
    expect(first).toEqual(await artifacts.rendering.network.call(getArtifact, key));
    expect(first).toMatchObject({ revision: 1, cancelled: false });
    expect(await artifacts.rendering.network.call(releaseArtifact, key)).toEqual(first);
    expect(await releasesOf(key.document_id)).toEqual([{ released_at: artifacts.rendering.clock.now }]);
  });

  it('the customer gets one original at most, however close the number comes', async () => {
    const documents = await Promise.all(Array.from({ length: 6 }, renderNew));
    const released = await Promise.all(
      documents.map(async ({ document, key }, position) => {
        await artifacts.settle(document, issued);
        // Some are released at once, some when the revision with the number is about to be stored, or is stored.
        if (position % 3 > 0) {
          await eventually('a revision is being made', async () => {
            const { in_flight } = await artifacts.gotenberg.read<{ in_flight: number }>('/_calls');
            const { revision } = await artifacts.rendering.network.call(getArtifact, key);
            return revision === 2 || (position % 3 === 1 && in_flight > 0);
          });
        }
        return artifacts.rendering.network.call(releaseArtifact, key);
      }),
    );
    for (const [position, { key }] of documents.entries()) {
      const latest = await eventually('the number is on the PDF', async () => {
        const found = await artifacts.rendering.network.call(getArtifact, key);
        return found.revision === 2 && found;
      });
      const left = released[position];
      expect(await pdfText(Buffer.from(left?.pdf ?? '', 'base64'))).toContain(original);
      expect(await pdfText(Buffer.from(latest.pdf, 'base64'))).toContain(
        latest.sha256 === left?.sha256 ? original : copy,
      );
    }
  });

  it('releaseArtifact waits for a revision that is being stored, and returns it', async () => {
    const { key } = await renderNew();
    const { db } = artifacts.rendering.database;
    const answer = await db.transaction().execute(async (trx) => {
      const { created_at: _now, ...first } = await trx
        .selectFrom('artifact')
        .selectAll()
        .where('document_id', '=', key.document_id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      const reply = artifacts.rendering.network.call(releaseArtifact, key);
      await eventually('it waits', async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        );
        return rows.length > 0;
      });
      await trx
        .insertInto('artifact')
        .values({ ...first, revision: 2, attempt: null, allocation_number: allocationNumber })
        .execute();
      return { reply };
    });
    expect(await answer.reply).toMatchObject({ revision: 2 });
  });

  it('releaseArtifact records nothing for a document without a PDF or of another business', async () => {
    const { key } = await renderNew();
    for (const other of [
      { ...key, business_id: sampleBusiness().id },
      { ...key, document_id: sampleDocument('quote', artifacts.business).id },
    ]) {
      await expect(artifacts.rendering.network.call(releaseArtifact, other)).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await releasesOf(other.document_id)).toEqual([]);
    }
  });
});

describe('listArtifacts', () => {
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

  it('listArtifacts lists every revision of a document, with what each of them says', async () => {
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

  it('listArtifacts says original of a later revision before anything was released', async () => {
    const { document } = await artifacts.renderLarge();
    await artifacts.settle(document, issued);
    await artifacts.revision(document, 2);
    const revisions = await list(artifacts.keyOf(document));
    expect(revisions.map(({ original }) => original)).toEqual([true, true]);
  });

  it('listArtifacts says original of no revision of a type that has none', async () => {
    const { document } = await artifacts.render(sampleDocument('quote', artifacts.business));
    expect((await list(artifacts.keyOf(document))).map(({ original }) => original)).toEqual([false]);
  });

  it('a stored revision never changes what it states of itself', async () => {
    const { document } = await artifacts.render();
    await expect(
      artifacts.rendering.database.db
        .updateTable('artifact')
        .set({ original: false })
        .where('document_id', '=', document.id)
        .execute(),
    ).rejects.toThrow('an artifact is final');
  });

  it('listArtifacts returns nothing for a document of another business and for an unknown one', async () => {
    const { document } = await artifacts.render();
    const key = artifacts.keyOf(document);
    expect(await list({ ...key, business_id: randomUUID() })).toEqual([]);
    expect(await list({ ...key, document_id: randomUUID() })).toEqual([]);
  });

  it('getArtifact returns not_found for a revision that does not exist and for one of another business', async () => {
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

  it('findArtifact finds a revision by its hash, in whatever book it is, and nothing by another hash', async () => {
    const { network } = artifacts.rendering;
    const { document, sha256 } = await artifacts.renderLarge();
    const test = sampleDocument('tax_invoice', {
      ...artifacts.business,
      id: testBookOf(artifacts.business.id),
    });
    const testPdf = await artifacts.render(test);
    const find = (sha256s: string[], certificates: string[] = []) =>
      network.call(findArtifact, { sha256s, certificates });
    await artifacts.settle(document, issued);
    const second = await artifacts.revision(document, 2);
    const none = 'ab'.repeat(32);
    const { found } = await find([none, sha256]);
    expect(found).toMatchObject({
      document_id: document.id,
      business_id: artifacts.business.id,
      sha256,
      revision: 1,
      latest_revision: 2,
      revoked_at: null,
      signed_ends: [],
    });
    expect((await find([second.sha256])).found).toMatchObject({ revision: 2, latest_revision: 2 });
    expect(await find([none])).toEqual({ found: null, known: [] });
    const latest = { sha256s: [], certificates: [], document: artifacts.keyOf(document) };
    expect((await network.call(findArtifact, latest)).found).toMatchObject({ sha256: second.sha256 });
    const [live, ofTest] = [
      found?.certificate_sha256 ?? '',
      (await find([testPdf.sha256])).found?.certificate_sha256 ?? '',
    ];
    expect((await find([], [none, live, ofTest])).known).toEqual([
      { sha256: live, mode: 'live', revoked_at: null },
      { sha256: ofTest, mode: 'test', revoked_at: null },
    ]);
  });

  it('getArtifact returns no bytes of a revision that the caller has', async () => {
    const { key } = await withRevisions();
    const [first] = await list(key);
    const known_sha256 = [first?.sha256 ?? ''];
    const answer = (revision: number) =>
      artifacts.rendering.network.call(getArtifact, { ...key, revision, known_sha256 });
    expect(await answer(1)).toMatchObject({ revision: 1, pdf: '' });
    expect((await answer(2)).pdf).not.toBe('');
  });
});
