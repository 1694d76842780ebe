import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cancelArtifact, documentCancelled, type IssuedDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { compact, pdfText, signatureReport } from '@pinkas/testkit/pdf';
import { Artifacts, issued, notRequired } from './artifacts.js';
import { sampleDocument } from './sample-documents.js';

/** Past midnight in Israel. */
const cancelledAt = '2026-03-09T22:30:00.000Z';

let artifacts: Artifacts;
beforeAll(async () => {
  artifacts = await Artifacts.start();
});
afterAll(() => artifacts?.stop());

describe('cancellation', () => {
  const renderNew = (document = sampleDocument('quote', artifacts.business)) => artifacts.render(document);
  const cancellationOf = (document: IssuedDocument, at = cancelledAt) => ({
    document,
    business: artifacts.business,
    cancelled_at: at,
    reason: 'הוזמן פעמיים',
  });
  const cancel = (document: IssuedDocument, messageId?: string, at = cancelledAt) =>
    artifacts.rendering.network.publish(
      documentCancelled,
      document.id,
      cancellationOf(document, at),
      messageId,
    );
  /** What a visitor of the PDF's address causes. */
  const cancelArtifactOf = (document: IssuedDocument) =>
    artifacts.rendering.network.call(cancelArtifact, cancellationOf(document));

  it('the next PDF of a cancelled document states it, and the first is unchanged', async () => {
    const { document, sha256 } = await renderNew(sampleDocument('proforma', artifacts.business));
    await artifacts.settle(document, notRequired);
    await artifacts.published(document);
    await cancel(document);
    const { pdf } = await artifacts.revision(document, 2);
    const text = await pdfText(pdf);
    expect(text).toContain(compact('מבוטל בוטל בתאריך 10/03/2026 בשעה 00:30'));
    expect(text).toContain(compact('סיבה: הוזמן פעמיים'));
    expect(text).toContain(compact('העתק | מסמך ממוחשב'));
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    const [first, second] = await artifacts.rows(document);
    expect(first?.sha256.toString('hex')).toBe(sha256);
    expect(first).toMatchObject({ cancelled_at: null, published_at: expect.any(Date) });
    expect(second).toMatchObject({
      cancelled_at: new Date(cancelledAt),
      cancel_reason: 'הוזמן פעמיים',
      published_at: null,
    });
  });

  it('a cancellation publishes no event', async () => {
    const { document } = await renderNew();
    await artifacts.settle(document, notRequired);
    await artifacts.published(document);
    await cancel(document);
    await artifacts.revision(document, 2);
    // Delivered again under another id: the event was published already.
    await artifacts.settle(document, notRequired);
    const { document: marker } = await renderNew();
    await artifacts.settle(marker, notRequired);
    await artifacts.published(marker);
    expect(artifacts.publishedFor(document)).toHaveLength(1);
  });

  it('a repeated cancellation makes no other PDF', async () => {
    const { document } = await renderNew();
    await cancel(document);
    const { sha256 } = await artifacts.revision(document, 2);
    const again = randomUUID();
    await cancel(document, again, '2026-04-01T10:00:00.000Z');
    await artifacts.handled(again);
    const { consumers } = await artifacts.rendering.network.streamManager();
    await consumers.delete('EVT_ISSUING', 'rendering-cancellations');
    await eventually('every event was taken again', async () => {
      const found = await consumers.info('EVT_ISSUING', 'rendering-cancellations');
      return found.delivered.stream_seq > 0 && found.num_pending === 0 && found.num_ack_pending === 0;
    });
    expect(await artifacts.rows(document)).toHaveLength(2);
    expect((await artifacts.latest(document)).sha256).toBe(sha256);
  });

  it('a cancellation is retried until the first PDF of the document is visible', async () => {
    const document = sampleDocument('order', artifacts.business);
    await cancel(document);
    const { consumers } = await artifacts.rendering.network.streamManager();
    await eventually('it was tried', async () => {
      const found = await consumers.info('EVT_ISSUING', 'rendering-cancellations');
      return found.num_redelivered > 0 || found.num_ack_pending > 0;
    });
    await renderNew(document);
    const { pdf } = await artifacts.revision(document, 2);
    expect(await pdfText(pdf)).toContain('מבוטל');
    const deadLetters = await artifacts.rendering.database.db.selectFrom('dead_letter').selectAll().execute();
    expect(deadLetters).toEqual([]);
  });

  it('an allocation settled after a cancellation still publishes which PDF is final', async () => {
    const { document } = await renderNew();
    await cancel(document);
    const { sha256 } = await artifacts.revision(document, 2);
    await artifacts.settle(document, notRequired);
    const event = await artifacts.published(document);
    expect(event).toMatchObject({ revision: 2, sha256, allocation_number: null });
    expect(await artifacts.rows(document)).toHaveLength(2);
  });

  it('a late number is added to a PDF that still says cancelled', async () => {
    const { document } = await renderNew();
    await cancel(document);
    await artifacts.revision(document, 2);
    await artifacts.settle(document, issued);
    const { pdf } = await artifacts.revision(document, 3);
    const text = await pdfText(pdf);
    expect(text).toContain('מבוטל');
    expect(text).toContain('987654321');
    expect((await artifacts.rows(document)).at(-1)).toMatchObject({
      cancelled_at: new Date(cancelledAt),
      allocation_number: '987654321',
    });
  });

  it('the latest PDF shows the number and the cancellation when they come together', async () => {
    const documents = await Promise.all(Array.from({ length: 4 }, () => renderNew()));
    await Promise.all(
      documents.flatMap(({ document }) => [cancel(document), artifacts.settle(document, issued)]),
    );
    for (const { document } of documents) {
      const { pdf } = await artifacts.revision(document, 3);
      const text = await pdfText(pdf);
      expect(text).toContain('מבוטל');
      expect(text).toContain('987654321');
      await eventually('the number is published', () => artifacts.publishedFor(document).length === 1);
    }
  });

  it('cancelArtifact makes the PDF before the event, which then makes no other', async () => {
    const { document } = await renderNew(sampleDocument('proforma', artifacts.business));
    expect(await artifacts.latest(document)).toMatchObject({ revision: 1, cancelled: false });
    const made = await cancelArtifactOf(document);
    expect(made).toMatchObject({ revision: 2, cancelled: true });
    const text = await pdfText(Buffer.from(made.pdf, 'base64'));
    expect(text).toContain(compact('מבוטל בוטל בתאריך 10/03/2026 בשעה 00:30'));
    expect(text).toContain(compact('העתק | מסמך ממוחשב'));
    expect(await cancelArtifactOf(document)).toEqual(made);
    const event = randomUUID();
    await cancel(document, event);
    await artifacts.handled(event);
    expect(await artifacts.rows(document)).toMatchObject([
      { cancelled_at: null },
      { cancelled_at: new Date(cancelledAt), sha256: expect.any(Buffer) },
    ]);
    expect((await artifacts.latest(document)).sha256).toBe(made.sha256);
    expect(artifacts.publishedFor(document)).toEqual([]);
  });

  it('concurrent calls of cancelArtifact and the event make one PDF', async () => {
    const { document } = await renderNew();
    const event = randomUUID();
    const calls = [cancelArtifactOf(document), cancelArtifactOf(document)];
    await cancel(document, event);
    calls.push(cancelArtifactOf(document), cancelArtifactOf(document));
    const answers = await Promise.all(calls);
    await artifacts.handled(event);
    const { sha256 } = await artifacts.latest(document);
    for (const answer of answers) {
      expect(answer).toMatchObject({ revision: 2, sha256, cancelled: true });
    }
    expect(await artifacts.rows(document)).toHaveLength(2);
  });

  it('cancelArtifact during the rendering of a number returns a cancelled PDF, and the number is not lost', async () => {
    const { document } = await renderNew();
    await artifacts.settle(document, issued);
    expect(await cancelArtifactOf(document)).toMatchObject({ cancelled: true });
    const text = await pdfText((await artifacts.revision(document, 3)).pdf);
    expect(text).toContain('מבוטל');
    expect(text).toContain('987654321');
  });

  it('cancelArtifact fails at once while rendering fails, and succeeds when it works', async () => {
    const { document } = await renderNew();
    await artifacts.gotenberg.mode({ fail_every: 1 });
    await expect(cancelArtifactOf(document)).rejects.toMatchObject({ code: 'document_generation_failed' });
    await artifacts.gotenberg.mode({});
    expect(await artifacts.rows(document)).toHaveLength(1);
    expect(await cancelArtifactOf(document)).toMatchObject({ revision: 2, cancelled: true });
  });

  it('cancelArtifact answers not_found for a document without a PDF', async () => {
    await expect(cancelArtifactOf(sampleDocument('quote', artifacts.business))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('the database refuses to change what a revision shows', async () => {
    const { document } = await renderNew();
    await cancel(document);
    await artifacts.revision(document, 2);
    await expect(
      artifacts.rendering.database.db
        .updateTable('artifact')
        .set({ cancelled_at: null })
        .where('document_id', '=', document.id)
        .execute(),
    ).rejects.toThrow('an artifact is final');
  });
});
