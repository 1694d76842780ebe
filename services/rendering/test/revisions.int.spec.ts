import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  auditArtifacts,
  cancelArtifact,
  documentCancelled,
  getArtifact,
  type IssuedDocument,
  releaseArtifact,
  renderPage,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { compact, pdfText, signatureReport } from '@pinkas/testkit/pdf';
import { Artifacts, allocationNumber, failed, issued, notRequired } from './artifacts.js';
import { sampleDocument } from './sample-documents.js';

/** Past midnight in Israel. */
const cancelledAt = '2026-03-09T22:30:00.000Z';
const copy = compact('העתק | מסמך ממוחשב');

let artifacts: Artifacts;
beforeAll(async () => {
  artifacts = await Artifacts.start();
});
afterAll(() => artifacts?.stop());

describe('SettleDonation', () => {
  /** Of an institution; the business of the artifacts is the one that rendering is called with. */
  const donate = async () => {
    Object.assign(artifacts.business, {
      legal_type: 'amuta',
      tax_authority_connected: true,
      donation_approval: { number: '46-123', valid_until: null },
    });
    const rendered = await artifacts.render(sampleDocument('donation_receipt', artifacts.business));
    return rendered.document;
  };
  const number = '405123456789';
  afterAll(() => {
    delete artifacts.business.donation_approval;
    Object.assign(artifacts.business, { legal_type: 'osek_murshe' });
  });

  it('a reported donation has a second revision with its number, which is published', async () => {
    const document = await donate();
    await artifacts.settleDonation(document, { status: 'reported', number, reason: null });
    const { pdf, allocation_number } = await artifacts.revision(document, 2);
    expect(allocation_number).toBe(number);
    expect(compact(await pdfText(pdf))).toContain(number);
    expect(await artifacts.published(document)).toMatchObject({
      revision: 2,
      allocation_number: number,
      allocation_pending: false,
    });
  });

  it('a donation that is being reported publishes the first PDF, and a refused one a revision that says so', async () => {
    const document = await donate();
    await artifacts.settleDonation(document, { status: 'pending', number: null, reason: 'x' });
    expect(await artifacts.published(document)).toMatchObject({ revision: 1, allocation_pending: true });
    await artifacts.settleDonation(document, { status: 'refused', number: null, reason: 'x' });
    const { pdf } = await artifacts.revision(document, 2);
    expect(compact(await pdfText(pdf))).toContain(compact('לא דווח'));
    expect(await artifacts.published(document, 2)).toMatchObject({ revision: 2, allocation_pending: false });
  });

  it('a cancelled report makes a copy that says so and keeps the number, which is published once', async () => {
    const document = await donate();
    const both = '405123456789, 405123456790';
    await artifacts.settleDonation(document, { status: 'reported', number: both, reason: null });
    await artifacts.revision(document, 2);
    await artifacts.settleDonation(document, { status: 'cancelled', number: both, reason: 'x' });
    const { pdf, report_cancelled } = await artifacts.revision(document, 3);
    expect(report_cancelled).toBe(true);
    const text = compact(await pdfText(pdf));
    expect(text).toContain(compact('דיווח בוטל'));
    expect(text).toContain(number);
    expect(text).toContain(copy);
    expect(await artifacts.published(document, 2)).toMatchObject({ revision: 3, report_cancelled: true });
    await artifacts.settleDonation(document, { status: 'cancelled', number: both, reason: 'x' });
    const other = await donate();
    await artifacts.settleDonation(other, { status: 'reported', number, reason: null });
    await artifacts.published(other);
    expect(artifacts.publishedFor(document)).toHaveLength(2);
    const { documents } = await artifacts.rendering.network.call(auditArtifacts, {
      business_id: document.business_id,
      documents: [
        {
          document_id: document.id,
          type: document.type,
          number: document.number,
          total: document.totals.total,
          allocation_number: both,
          cancelled_at: null,
          report_cancelled: true,
          artifact_sha256: (await artifacts.rows(document))[0]?.sha256.toString('hex') ?? '',
        },
      ],
    });
    expect(documents[0]).toMatchObject({ findings: [], pending: [] });
  });
});

describe('SettleArtifact', () => {
  it('an invoice that goes on without its number states that no input VAT is deducted, until a number comes after all', async () => {
    const sentence = compact('אין לנכות מס תשומות בגין חשבונית זו');
    const { document } = await artifacts.render();
    await artifacts.refuse(document, null);
    await artifacts.published(document);
    await artifacts.refuse(document, 'continue');
    const { pdf, not_deductible } = await artifacts.revision(document, 2);
    expect(not_deductible).toBe(true);
    expect(compact(await pdfText(pdf))).toContain(sentence);
    expect(await artifacts.published(document, 2)).toMatchObject({ revision: 2, not_deductible: true });
    // The objection that follows leaves the sentence where it is.
    await artifacts.refuse(document, 'object');
    const { html } = await artifacts.rendering.network.call(renderPage, {
      document,
      business: artifacts.business,
      state: {
        status: 'open',
        paid: 0,
        allocation_number: null,
        refusal: { decision: 'object' },
        cancelled_at: null,
      },
      pdf_url: 'https://api.example.com/pdf',
    });
    expect(html).toContain('<strong>אין לנכות מס תשומות בגין חשבונית זו</strong>');
    await artifacts.settle(document, issued);
    const numbered = await artifacts.revision(document, 3);
    expect(numbered.not_deductible).toBeUndefined();
    const text = compact(await pdfText(numbered.pdf));
    expect(text).toContain(allocationNumber);
    expect(text).not.toContain(sentence);
  });

  it('an allocation without a number publishes the first PDF', async () => {
    const { document, sha256 } = await artifacts.render();
    await artifacts.settle(document, notRequired);
    expect(await artifacts.published(document)).toEqual({
      business_id: artifacts.business.id,
      document_id: document.id,
      revision: 1,
      sha256,
      allocation_number: null,
      allocation_pending: false,
    });
    expect(await artifacts.rows(document)).toEqual([
      expect.objectContaining({
        revision: 1,
        published_at: expect.any(Date),
      }),
    ]);
  });

  it('an allocation publishes no PDF whose first revision is not the one in the book', async () => {
    const { network, service } = artifacts.rendering;
    const { document } = await artifacts.render();
    const { business } = artifacts;
    await network.publish(allocationSettled, document.id, {
      document,
      business,
      allocation: notRequired,
      pending: false,
      artifact_sha256: 'ab'.repeat(32),
    });
    await eventually('the difference is reported', async () => {
      const text = await (await fetch(`http://127.0.0.1:${service.healthPort}/metrics`)).text();
      return /^pinkas_artifact_mismatches_total [1-9]/m.test(text);
    });
    expect(artifacts.publishedFor(document)).toEqual([]);
    expect(await artifacts.rows(document)).toMatchObject([{ published_at: null }]);
  });

  it('neither the customer nor the accountant gets a PDF whose first revision is not the one in the book', async () => {
    const { document, sha256 } = await artifacts.render();
    const key = { business_id: document.business_id, document_id: document.id };
    for (const contract of [releaseArtifact, getArtifact]) {
      const call = (artifact_sha256: string) =>
        artifacts.rendering.network.call(contract, { ...key, artifact_sha256 });
      await expect(call('ab'.repeat(32))).rejects.toMatchObject({ code: 'internal_error' });
      expect(await call(sha256)).toMatchObject({ revision: 1, sha256 });
    }
  });

  it('an allocation with a number publishes a new original that shows it, and the first PDF is unchanged', async () => {
    const { document } = await artifacts.render();
    await artifacts.settle(document, issued);
    const event = await artifacts.published(document);
    const { pdf, sha256, revision } = await artifacts.latest(document);
    expect(event).toMatchObject({ revision: 2, sha256, allocation_number: '987654321' });
    expect(revision).toBe(2);
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    const text = await pdfText(pdf);
    expect(text).toContain('987654321');
    expect(text).toContain(compact('מקור | מסמך ממוחשב'));
    expect(await artifacts.rows(document)).toEqual([
      expect.objectContaining({ revision: 1, published_at: null }),
      expect.objectContaining({
        revision: 2,
        published_at: expect.any(Date),
      }),
    ]);
  });

  it.each([
    ['the original, while the mail with the first PDF has not left', 'nobody', 'מקור'],
    ['the original, though the accountant has the first PDF', 'the accountant', 'מקור'],
    ['a copy, once the first PDF was released for the customer', 'the customer', 'העתק'],
  ] as const)('a late number makes %s', async (_what, receiver, word) => {
    const { document } = await artifacts.render();
    await artifacts.settle(document, failed);
    await artifacts.published(document);
    if (receiver === 'the accountant') {
      await artifacts.latest(document);
    }
    if (receiver === 'the customer') {
      await artifacts.release(document);
    }
    await artifacts.settle(document, issued);
    expect(await artifacts.published(document, 2)).toMatchObject({
      revision: 2,
      allocation_number: '987654321',
    });
    const text = await pdfText((await artifacts.latest(document)).pdf);
    expect(text).toContain(compact(`${word} | מסמך ממוחשב`));
    expect(text).toContain('987654321');
  });

  it('a PDF that is released while the number is rendered makes the next revision a copy', async () => {
    const { document } = await artifacts.render();
    await artifacts.settle(document, failed);
    await artifacts.published(document);
    await artifacts.gotenberg.mode({ delay_ms: 3_000 });
    await artifacts.settle(document, issued);
    await eventually('it is being rendered', async () => {
      const { in_flight } = await artifacts.gotenberg.read<{ in_flight: number }>('/_calls');
      return in_flight > 0;
    });
    await artifacts.release(document);
    await artifacts.gotenberg.mode({});
    await artifacts.published(document, 2);
    expect(await pdfText((await artifacts.latest(document)).pdf)).toContain(compact('העתק | מסמך ממוחשב'));
  });

  const pendingWords = compact('בתהליך קבלה מרשות המסים');

  it('a PDF says that its number is being obtained while attempts go on, and shows the late number afterwards', async () => {
    const { document } = await artifacts.renderLarge();
    expect(await pdfText((await artifacts.latest(document)).pdf)).toContain(pendingWords);
    await artifacts.settle(document, failed, randomUUID(), true);
    expect(await artifacts.published(document)).toMatchObject({
      revision: 1,
      allocation_number: null,
      allocation_pending: true,
    });
    await artifacts.settle(document, issued);
    expect(await artifacts.published(document, 2)).toMatchObject({
      revision: 2,
      allocation_number: '987654321',
      allocation_pending: false,
    });
    const text = await pdfText((await artifacts.latest(document)).pdf);
    expect(text).toContain('987654321');
    expect(text).not.toContain(pendingWords);
  });

  it('a refusal makes a new original that does not say that a number is being obtained', async () => {
    const { document } = await artifacts.renderLarge();
    await artifacts.settle(document, failed, randomUUID(), true);
    await artifacts.published(document);
    await artifacts.settle(document, failed);
    expect(await artifacts.published(document, 2)).toMatchObject({
      revision: 2,
      allocation_number: null,
      allocation_pending: false,
    });
    const text = await pdfText((await artifacts.latest(document)).pdf);
    expect(text).toContain(compact('מקור | מסמך ממוחשב'));
    expect(text).not.toContain('הקצאה');
    // An event of an earlier attempt that comes late changes nothing.
    const late = randomUUID();
    await artifacts.settle(document, failed, late, true);
    await artifacts.handled(late);
    expect(await artifacts.rows(document)).toHaveLength(2);
    expect(artifacts.publishedFor(document)).toHaveLength(2);
  });

  it('a repeated event or outcome changes and publishes nothing', async () => {
    const { document } = await artifacts.render();
    const messageId = randomUUID();
    await artifacts.settle(document, issued, messageId);
    const first = await artifacts.published(document);
    // A stream's own duplicate window would hide the second: the outcome comes again under another id.
    await artifacts.settle(document, issued);
    await artifacts.settle(document, failed);
    const other = await artifacts.render();
    await artifacts.settle(other.document, notRequired);
    await artifacts.published(other.document);
    await eventually('all three events handled', async () => {
      const { count } = await artifacts.rendering.database.db
        .selectFrom('inbox')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count) >= 8;
    });
    expect(artifacts.publishedFor(document)).toEqual([first]);
    expect(await artifacts.rows(document)).toHaveLength(2);
    expect((await artifacts.latest(document)).sha256).toBe(first.sha256);
  });

  it('a failed rendering is repeated when rendering works again', async () => {
    const { document } = await artifacts.render();
    await artifacts.gotenberg.mode({ fail_every: 1 });
    await artifacts.settle(document, issued);
    await artifacts.gotenberg.mode({});
    expect(await artifacts.published(document)).toMatchObject({ revision: 2 });
  });
});

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

  it('the next PDF of a cancelled document says so, and the first is unchanged', async () => {
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
