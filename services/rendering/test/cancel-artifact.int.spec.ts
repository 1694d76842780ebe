import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  artifactRendered,
  cancelArtifact,
  documentCancelled,
  type EventOf,
  getArtifact,
  type IssuedDocument,
  renderArtifact,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { compact, pdfText, signatureReport } from './pdf-tools.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

/** Past midnight in Israel. */
const cancelledAt = '2026-03-09T22:30:00.000Z';

describe('when a document is cancelled', () => {
  let rendering: RenderingUnderTest;
  let announced: EventOf<typeof artifactRendered>[];
  const business = sampleBusiness();
  beforeAll(async () => {
    rendering = await startRendering();
    announced = rendering.network.collect(artifactRendered);
  }, 60_000);
  afterAll(() => rendering?.stop());

  const renderNew = async (document = sampleDocument('quote', business)) => {
    const { sha256 } = await rendering.network.ask(renderArtifact, { document, business });
    return { document, sha256 };
  };
  const cancel = (document: IssuedDocument, messageId?: string, at = cancelledAt) =>
    rendering.network.publish(
      documentCancelled,
      document.id,
      { document, business, cancelled_at: at },
      messageId,
    );
  /** What a visitor of the PDF's address sets off. */
  const askForCancelled = (document: IssuedDocument) =>
    rendering.network.ask(cancelArtifact, { document, business, cancelled_at: cancelledAt });
  const settle = (document: IssuedDocument, number: string | null) =>
    rendering.network.publish(allocationSettled, document.id, {
      document,
      business,
      allocation: number
        ? { status: 'issued', number, reason: null }
        : { status: 'not_required', number: null, reason: 'no type for it' },
    });
  const latest = async (document: IssuedDocument) => {
    const key = { business_id: business.id, document_id: document.id };
    const { pdf, ...rest } = await rendering.network.ask(getArtifact, key);
    return { ...rest, pdf: Buffer.from(pdf, 'base64') };
  };
  const revision = (document: IssuedDocument, number: number) =>
    eventually(`revision ${number}`, async () => {
      const found = await latest(document);
      return found.revision === number && found;
    });
  const announcementsOf = (document: IssuedDocument) =>
    announced.filter((event) => event.document_id === document.id);
  const rows = (document: IssuedDocument) =>
    rendering.database.db
      .selectFrom('artifact')
      .select(['revision', 'sha256', 'confirmed_at', 'announced_at', 'cancelled_at', 'allocation_number'])
      .where('document_id', '=', document.id)
      .orderBy('revision')
      .execute();
  const handled = (messageId: string) =>
    eventually('the event is handled', () =>
      rendering.database.db
        .selectFrom('inbox')
        .select('handled_at')
        .where('message_id', '=', messageId)
        .executeTakeFirst(),
    );

  it('its next PDF says so, and the first stays as it was', async () => {
    const { document, sha256 } = await renderNew();
    await settle(document, null);
    await eventually('the first is announced', () => announcementsOf(document)[0]);
    await cancel(document);
    const { pdf } = await revision(document, 2);
    const text = await pdfText(pdf);
    expect(text).toContain(compact('מבוטל בוטל בתאריך 10/03/2026 בשעה 00:30'));
    expect(text).toContain(compact('העתק | מסמך ממוחשב'));
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    const [first, second] = await rows(document);
    expect(first?.sha256.toString('hex')).toBe(sha256);
    expect(first).toMatchObject({ cancelled_at: null, announced_at: expect.any(Date) });
    expect(second).toMatchObject({
      cancelled_at: new Date(cancelledAt),
      confirmed_at: expect.any(Date),
      announced_at: null,
    });
  });

  it('nothing is announced, since nothing is to be sent because of it', async () => {
    const { document } = await renderNew();
    await settle(document, null);
    await eventually('the first is announced', () => announcementsOf(document)[0]);
    await cancel(document);
    await revision(document, 2);
    // Heard again under another id: the customer was told already.
    await settle(document, null);
    const { document: marker } = await renderNew();
    await settle(marker, null);
    await eventually('what came later is announced', () => announcementsOf(marker)[0]);
    expect(announcementsOf(document)).toHaveLength(1);
  });

  it('the same event again, or another of the same, makes no other PDF', async () => {
    const { document } = await renderNew();
    await cancel(document);
    const { sha256 } = await revision(document, 2);
    const again = randomUUID();
    await cancel(document, again, '2026-04-01T10:00:00.000Z');
    await handled(again);
    const { consumers } = await rendering.network.connection.jetstreamManager();
    await consumers.delete('EVT_ISSUING', 'rendering-cancellations');
    await eventually('every event was taken again', async () => {
      const found = await consumers.info('EVT_ISSUING', 'rendering-cancellations');
      return found.delivered.stream_seq > 0 && found.num_pending === 0 && found.num_ack_pending === 0;
    });
    expect(await rows(document)).toHaveLength(2);
    expect((await latest(document)).sha256).toBe(sha256);
  });

  it('before its first PDF can be seen, it is tried again until it can', async () => {
    const document = sampleDocument('order', business);
    await cancel(document);
    const { consumers } = await rendering.network.connection.jetstreamManager();
    await eventually('it was tried', async () => {
      const found = await consumers.info('EVT_ISSUING', 'rendering-cancellations');
      return found.num_redelivered > 0 || found.num_ack_pending > 0;
    });
    await renderNew(document);
    const { pdf } = await revision(document, 2);
    expect(await pdfText(pdf)).toContain('מבוטל');
    const parked = await rendering.database.db.selectFrom('dead_letter').selectAll().execute();
    expect(parked).toEqual([]);
  });

  it('and its allocation is settled only then, the customer is still told which PDF is final', async () => {
    const { document } = await renderNew();
    await cancel(document);
    const { sha256 } = await revision(document, 2);
    await settle(document, null);
    const event = await eventually('it is announced', () => announcementsOf(document)[0]);
    expect(event).toMatchObject({ revision: 2, sha256, allocation_number: null });
    expect(await rows(document)).toHaveLength(2);
  });

  it('a number that comes late is added, and the PDF still says that it is cancelled', async () => {
    const { document } = await renderNew();
    await cancel(document);
    await revision(document, 2);
    await settle(document, '987654321');
    const { pdf } = await revision(document, 3);
    const text = await pdfText(pdf);
    expect(text).toContain('מבוטל');
    expect(text).toContain('987654321');
    expect((await rows(document)).at(-1)).toMatchObject({
      cancelled_at: new Date(cancelledAt),
      allocation_number: '987654321',
    });
  });

  it('while its number comes, the latest PDF shows both, whichever is first', async () => {
    const documents = await Promise.all(Array.from({ length: 4 }, () => renderNew()));
    await Promise.all(documents.flatMap(({ document }) => [cancel(document), settle(document, '987654321')]));
    for (const { document } of documents) {
      const { pdf } = await revision(document, 3);
      const text = await pdfText(pdf);
      expect(text).toContain('מבוטל');
      expect(text).toContain('987654321');
      await eventually('the number is announced', () => announcementsOf(document).length === 1);
    }
  });

  it('whoever asks first has the PDF that says so, and the event then makes no other', async () => {
    const { document } = await renderNew();
    expect(await latest(document)).toMatchObject({ revision: 1, cancelled: false });
    const made = await askForCancelled(document);
    expect(made).toMatchObject({ revision: 2, cancelled: true });
    const text = await pdfText(Buffer.from(made.pdf, 'base64'));
    expect(text).toContain(compact('מבוטל בוטל בתאריך 10/03/2026 בשעה 00:30'));
    expect(text).toContain(compact('העתק | מסמך ממוחשב'));
    expect(await askForCancelled(document)).toEqual(made);
    const event = randomUUID();
    await cancel(document, event);
    await handled(event);
    expect(await rows(document)).toMatchObject([
      { confirmed_at: expect.any(Date), cancelled_at: null },
      { confirmed_at: expect.any(Date), cancelled_at: new Date(cancelledAt), sha256: expect.any(Buffer) },
    ]);
    expect((await latest(document)).sha256).toBe(made.sha256);
    expect(announcementsOf(document)).toEqual([]);
  });

  it('many who ask at the moment of the event all have the one PDF that says so', async () => {
    const { document } = await renderNew();
    const event = randomUUID();
    const asked = [askForCancelled(document), askForCancelled(document)];
    await cancel(document, event);
    asked.push(askForCancelled(document), askForCancelled(document));
    const answers = await Promise.all(asked);
    await handled(event);
    const { sha256 } = await latest(document);
    for (const answer of answers) expect(answer).toMatchObject({ revision: 2, sha256, cancelled: true });
    expect(await rows(document)).toHaveLength(2);
  });

  it('whoever asks while its number is printed has one that says so, and the number is not lost', async () => {
    const { document } = await renderNew();
    await settle(document, '987654321');
    expect(await askForCancelled(document)).toMatchObject({ cancelled: true });
    const text = await pdfText((await revision(document, 3)).pdf);
    expect(text).toContain('מבוטל');
    expect(text).toContain('987654321');
  });

  it('whoever asks is told at once that it cannot be printed, and has it when it can', async () => {
    const { document } = await renderNew();
    await rendering.gotenberg.mode({ fail_every: 1 });
    await expect(askForCancelled(document)).rejects.toMatchObject({ code: 'document_generation_failed' });
    await rendering.gotenberg.mode({});
    expect(await rows(document)).toHaveLength(1);
    expect(await askForCancelled(document)).toMatchObject({ revision: 2, cancelled: true });
  });

  it('whoever asks finds nothing where there is no PDF at all', async () => {
    await expect(askForCancelled(sampleDocument('quote', business))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('what is printed on a revision is final in the database too', async () => {
    const { document } = await renderNew();
    await cancel(document);
    await revision(document, 2);
    await expect(
      rendering.database.db
        .updateTable('artifact')
        .set({ cancelled_at: null })
        .where('document_id', '=', document.id)
        .execute(),
    ).rejects.toThrow('an artifact is final');
  });
});
