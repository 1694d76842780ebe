import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDocument, type IssuedDocument, renderArtifact } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { PurgeOrphans } from '../src/artifact/purge-orphans.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const dayMs = 24 * 60 * 60 * 1000;

describe('the PDFs of documents that were never issued', () => {
  let rendering: RenderingUnderTest;
  let purge: PurgeOrphans;
  const business = sampleBusiness();
  const book = new Map<string, IssuedDocument>();
  let issuingAnswers = true;
  beforeAll(async () => {
    rendering = await startRendering();
    purge = rendering.service.app.get(PurgeOrphans, { strict: false });
    rendering.network.answer(getDocument, ({ document_id }) => {
      if (!issuingAnswers) throw new Problem('internal_error');
      const document = book.get(document_id);
      if (!document) throw new Problem('not_found');
      const state = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null } as const;
      return { document, state };
    });
  }, 60_000);
  afterAll(() => rendering?.stop());

  const renderNew = async () => {
    const document = sampleDocument('quote', business);
    await rendering.network.ask(renderArtifact, { document, business });
    return document;
  };
  const stored = async (document: IssuedDocument) =>
    rendering.database.db
      .selectFrom('artifact')
      .select('confirmed_at')
      .where('document_id', '=', document.id)
      .executeTakeFirst();

  it('go after a day; those of documents in the book stay, and so does everything while issuing is away', async () => {
    const orphan = await renderNew();
    const late = await renderNew();
    book.set(late.id, late);

    await purge.turn();
    expect(await stored(orphan)).toBeDefined();

    rendering.clock.now = new Date(Date.now() + dayMs + 60_000);
    issuingAnswers = false;
    await expect(purge.turn()).rejects.toThrow();
    expect(await stored(orphan)).toBeDefined();

    issuingAnswers = true;
    await purge.turn();
    expect(await stored(orphan)).toBeUndefined();
    expect((await stored(late))?.confirmed_at).toBeInstanceOf(Date);
  });
});
