import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AllocationOutcome,
  allocationSettled,
  artifactRendered,
  type EventOf,
  getArtifact,
  handOverArtifact,
  type IssuedDocument,
  renderArtifact,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { compact, pdfText, signatureReport } from './pdf-tools.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const issued: AllocationOutcome = { status: 'issued', number: '987654321', reason: null };
const notRequired: AllocationOutcome = { status: 'not_required', number: null, reason: 'below' };
const failed: AllocationOutcome = { status: 'failed', number: null, reason: 'no answer' };

describe('when the allocation is settled', () => {
  let rendering: RenderingUnderTest;
  let announced: EventOf<typeof artifactRendered>[];
  const business = sampleBusiness();
  beforeAll(async () => {
    rendering = await startRendering();
    announced = rendering.network.collect(artifactRendered);
  }, 60_000);
  afterAll(() => rendering?.stop());

  const renderNew = async () => {
    const document = sampleDocument('tax_invoice', business);
    const { sha256 } = await rendering.network.ask(renderArtifact, { document, business });
    return { document, sha256 };
  };
  const settle = (document: IssuedDocument, allocation: AllocationOutcome, messageId?: string) =>
    rendering.network.publish(allocationSettled, document.id, { document, business, allocation }, messageId);
  const keyOf = (document: IssuedDocument) => ({ business_id: business.id, document_id: document.id });
  /** What a delivery does before it hands a message over to the mail server. */
  const handOver = (document: IssuedDocument) => rendering.network.ask(handOverArtifact, keyOf(document));
  const announcementsOf = (document: IssuedDocument) =>
    announced.filter((event) => event.document_id === document.id);
  const announcement = (document: IssuedDocument, count = 1) =>
    eventually(`announcement ${count} of the artifact`, () => announcementsOf(document)[count - 1]);
  const latest = async (document: IssuedDocument) => {
    const { pdf, ...rest } = await rendering.network.ask(getArtifact, keyOf(document));
    return { ...rest, pdf: Buffer.from(pdf, 'base64') };
  };
  const rows = (document: IssuedDocument) =>
    rendering.database.db
      .selectFrom('artifact')
      .select(['revision', 'confirmed_at', 'announced_at', 'allocation_number'])
      .where('document_id', '=', document.id)
      .orderBy('revision')
      .execute();

  it('without a number, the first PDF is confirmed and announced', async () => {
    const { document, sha256 } = await renderNew();
    await settle(document, notRequired);
    expect(await announcement(document)).toEqual({
      business_id: business.id,
      document_id: document.id,
      revision: 1,
      sha256,
      allocation_number: null,
    });
    expect(await rows(document)).toEqual([
      expect.objectContaining({
        revision: 1,
        confirmed_at: expect.any(Date),
        announced_at: expect.any(Date),
      }),
    ]);
  });

  it('with a number, a new original that bears it is announced, and the first stays as it was', async () => {
    const { document } = await renderNew();
    await settle(document, issued);
    const event = await announcement(document);
    const { pdf, sha256, revision } = await latest(document);
    expect(event).toMatchObject({ revision: 2, sha256, allocation_number: '987654321' });
    expect(revision).toBe(2);
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    const text = await pdfText(pdf);
    expect(text).toContain('987654321');
    expect(text).toContain(compact('מקור | מסמך ממוחשב'));
    expect(await rows(document)).toEqual([
      expect.objectContaining({ revision: 1, confirmed_at: expect.any(Date), announced_at: null }),
      expect.objectContaining({
        revision: 2,
        confirmed_at: expect.any(Date),
        announced_at: expect.any(Date),
      }),
    ]);
  });

  it.each([
    ['the original, while the mail with the first PDF has not left', 'nobody', 'מקור'],
    ['the original, though the accountant has the first PDF', 'the accountant', 'מקור'],
    ['a copy, once the first PDF was given out for the customer', 'the customer', 'העתק'],
  ] as const)('a number that comes late makes %s', async (_what, receiver, word) => {
    const { document } = await renderNew();
    await settle(document, failed);
    await announcement(document);
    if (receiver === 'the accountant') await latest(document);
    if (receiver === 'the customer') await handOver(document);
    await settle(document, issued);
    expect(await announcement(document, 2)).toMatchObject({ revision: 2, allocation_number: '987654321' });
    const text = await pdfText((await latest(document)).pdf);
    expect(text).toContain(compact(`${word} | מסמך ממוחשב`));
    expect(text).toContain('987654321');
  });

  it('a PDF that is given out while the number is printed makes a copy of it all the same', async () => {
    const { document } = await renderNew();
    await settle(document, failed);
    await announcement(document);
    await rendering.gotenberg.mode({ delay_ms: 3_000 });
    await settle(document, issued);
    await eventually('it is being printed', async () => {
      const { in_flight } = await rendering.gotenberg.read<{ in_flight: number }>('/_calls');
      return in_flight > 0;
    });
    await handOver(document);
    await rendering.gotenberg.mode({});
    await announcement(document, 2);
    expect(await pdfText((await latest(document)).pdf)).toContain(compact('העתק | מסמך ממוחשב'));
  });

  it('the same event twice, or the same outcome again, changes and announces nothing more', async () => {
    const { document } = await renderNew();
    const messageId = randomUUID();
    await settle(document, issued, messageId);
    const first = await announcement(document);
    // A stream's own duplicate window would hide the second: the outcome comes again under another id.
    await settle(document, issued);
    await settle(document, failed);
    const other = await renderNew();
    await settle(other.document, notRequired);
    await announcement(other.document);
    await eventually('all three events handled', async () => {
      const { count } = await rendering.database.db
        .selectFrom('inbox')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count) >= 8;
    });
    expect(announcementsOf(document)).toEqual([first]);
    expect(await rows(document)).toHaveLength(2);
    expect((await latest(document)).sha256).toBe(first.sha256);
  });

  it('a printer that fails holds it up only until it works again', async () => {
    const { document } = await renderNew();
    await rendering.gotenberg.mode({ fail_every: 1 });
    await settle(document, issued);
    await rendering.gotenberg.mode({});
    expect(await announcement(document)).toMatchObject({ revision: 2 });
  });
});
