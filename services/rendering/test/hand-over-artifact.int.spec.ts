import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled, getArtifact, handOverArtifact, renderArtifact } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { compact, pdfText } from './pdf-tools.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const original = compact('מקור | מסמך ממוחשב');
const copy = compact('העתק | מסמך ממוחשב');

describe('the PDF that is given out for the customer', () => {
  let rendering: RenderingUnderTest;
  const business = sampleBusiness();
  beforeAll(async () => {
    rendering = await startRendering();
  }, 60_000);
  afterAll(() => rendering?.stop());

  const renderNew = async () => {
    const document = sampleDocument('tax_invoice', business);
    await rendering.network.ask(renderArtifact, { document, business });
    return { document, key: { business_id: business.id, document_id: document.id } };
  };
  const noted = (documentId: string) =>
    rendering.database.db
      .selectFrom('delivered')
      .select('delivered_at')
      .where('document_id', '=', documentId)
      .execute();

  it('is the latest one, as often as it is asked for', async () => {
    const { key } = await renderNew();
    const first = await rendering.network.ask(handOverArtifact, key);
    expect(first).toEqual(await rendering.network.ask(getArtifact, key));
    expect(first).toMatchObject({ revision: 1, cancelled: false });
    expect(await rendering.network.ask(handOverArtifact, key)).toEqual(first);
    expect(await noted(key.document_id)).toEqual([{ delivered_at: rendering.clock.now }]);
  });

  it('is the only original that the customer can come by, however close its number comes', async () => {
    const documents = await Promise.all(Array.from({ length: 6 }, renderNew));
    const handedOver = await Promise.all(
      documents.map(async ({ document, key }, position) => {
        await rendering.network.publish(allocationSettled, document.id, {
          document,
          business,
          allocation: { status: 'issued', number: '987654321', reason: null },
        });
        // Some are given out at once, some when the revision with the number is about to be stored, or is stored.
        if (position % 3 > 0) {
          await eventually('a revision is being made', async () => {
            const { in_flight } = await rendering.gotenberg.read<{ in_flight: number }>('/_calls');
            const { revision } = await rendering.network.ask(getArtifact, key);
            return revision === 2 || (position % 3 === 1 && in_flight > 0);
          });
        }
        return rendering.network.ask(handOverArtifact, key);
      }),
    );
    for (const [position, { key }] of documents.entries()) {
      const latest = await eventually('the number is on the PDF', async () => {
        const found = await rendering.network.ask(getArtifact, key);
        return found.revision === 2 && found;
      });
      const left = handedOver[position];
      expect(await pdfText(Buffer.from(left?.pdf ?? '', 'base64'))).toContain(original);
      expect(await pdfText(Buffer.from(latest.pdf, 'base64'))).toContain(
        latest.sha256 === left?.sha256 ? original : copy,
      );
    }
  });

  it('is the one that is being stored at that moment, which nobody could make a copy any more', async () => {
    const { key } = await renderNew();
    const { db } = rendering.database;
    const answer = await db.transaction().execute(async (trx) => {
      const { created_at: _now, ...first } = await trx
        .selectFrom('artifact')
        .selectAll()
        .where('document_id', '=', key.document_id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      const asked = rendering.network.ask(handOverArtifact, key);
      await eventually('it waits', async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        );
        return rows.length > 0;
      });
      await trx
        .insertInto('artifact')
        .values({ ...first, revision: 2, allocation_number: '987654321' })
        .execute();
      return { asked };
    });
    expect(await answer.asked).toMatchObject({ revision: 2 });
  });

  it('is not found for a document that has none, nor for another business, and nothing is noted', async () => {
    const { key } = await renderNew();
    for (const other of [
      { ...key, business_id: sampleBusiness().id },
      { ...key, document_id: sampleDocument('quote', business).id },
    ]) {
      await expect(rendering.network.ask(handOverArtifact, other)).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await noted(other.document_id)).toEqual([]);
    }
  });
});
