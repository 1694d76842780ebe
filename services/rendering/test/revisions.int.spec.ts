import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  auditArtifacts,
  getArtifact,
  releaseArtifact,
  renderPage,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { compact, pdfText, signatureReport } from '@pinkas/testkit/pdf';
import { Artifacts, allocationNumber, failed, issued, notRequired } from './artifacts.js';
import { sampleDocument } from './sample-documents.js';

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

  it('a PDF states that its number is being obtained while attempts go on, and shows the late number afterwards', async () => {
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
