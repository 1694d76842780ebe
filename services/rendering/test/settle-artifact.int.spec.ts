import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { Artifacts, failed, issued, notRequired } from './artifacts.js';
import { compact, pdfText, signatureReport } from './pdf-tools.js';

describe('SettleArtifact', () => {
  let artifacts: Artifacts;
  beforeAll(async () => {
    artifacts = await Artifacts.start();
  }, 60_000);
  afterAll(() => artifacts?.stop());

  it('an allocation without a number confirms and publishes the first PDF', async () => {
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
        confirmed_at: expect.any(Date),
        published_at: expect.any(Date),
      }),
    ]);
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
      expect.objectContaining({ revision: 1, confirmed_at: expect.any(Date), published_at: null }),
      expect.objectContaining({
        revision: 2,
        confirmed_at: expect.any(Date),
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
