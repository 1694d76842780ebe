import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getDocument, type IssuedDocument, renderArtifact } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { OrphanPurger } from '../src/artifact/orphan-purger.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const dayMs = 24 * 60 * 60 * 1000;

describe('OrphanPurger', () => {
  let rendering: RenderingUnderTest;
  let purger: OrphanPurger;
  const business = sampleBusiness();
  const book = new Map<string, IssuedDocument>();
  let issuingAnswers = true;
  beforeAll(async () => {
    rendering = await startRendering();
    purger = rendering.service.app.get(OrphanPurger, { strict: false });
    rendering.network.answer(getDocument, ({ document_id }) => {
      if (!issuingAnswers) {
        throw new ApiError('internal_error');
      }
      const document = book.get(document_id);
      if (!document) {
        throw new ApiError('not_found');
      }
      const state = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null } as const;
      return { document, state };
    });
  }, 60_000);
  afterEach(() => {
    jest.restoreAllMocks();
    rendering.clock.now = new Date();
  });
  afterAll(() => rendering?.stop());

  const renderNew = async () => {
    const document = sampleDocument('quote', business);
    await rendering.network.call(renderArtifact, { document, business });
    return document;
  };
  const stored = async (document: IssuedDocument) =>
    rendering.database.db
      .selectFrom('artifact')
      .select('confirmed_at')
      .where('document_id', '=', document.id)
      .executeTakeFirst();

  it('OrphanPurger deletes PDFs of documents that were not issued after a day, and nothing while issuing does not answer', async () => {
    const orphan = await renderNew();
    const late = await renderNew();
    book.set(late.id, late);

    await purger.purgeBatch();
    expect(await stored(orphan)).toBeDefined();

    rendering.clock.now = new Date(Date.now() + dayMs + 60_000);
    issuingAnswers = false;
    await expect(purger.purgeBatch()).rejects.toThrow();
    expect(await stored(orphan)).toBeDefined();

    issuingAnswers = true;
    await purger.purgeBatch();
    expect(await stored(orphan)).toBeUndefined();
    expect((await stored(late))?.confirmed_at).toBeInstanceOf(Date);
  });

  it('OrphanPurger keeps the PDF of a document that is being issued when the clock of the machine is a day ahead', async () => {
    const document = await renderNew();
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + dayMs + 60_000);
    rendering.clock.now = new Date(Date.now());
    await purger.purgeBatch();
    expect(await stored(document)).toBeDefined();
  });
});
