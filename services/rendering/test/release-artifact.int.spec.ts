import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getArtifact, releaseArtifact } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { Artifacts, allocationNumber, issued } from './artifacts.js';
import { compact, pdfText } from './pdf-tools.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const original = compact('מקור | מסמך ממוחשב');
const copy = compact('העתק | מסמך ממוחשב');

describe('ReleaseArtifact', () => {
  let artifacts: Artifacts;
  beforeAll(async () => {
    artifacts = await Artifacts.start();
  }, 60_000);
  afterAll(() => artifacts?.stop());

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

  it('ReleaseArtifact returns the latest PDF, and records only the first release', async () => {
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

  it('ReleaseArtifact waits for a revision that is being stored, and returns it', async () => {
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
        .values({ ...first, revision: 2, allocation_number: allocationNumber })
        .execute();
      return { reply };
    });
    expect(await answer.reply).toMatchObject({ revision: 2 });
  });

  it('ReleaseArtifact records nothing for a document without a PDF or of another business', async () => {
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
