import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { artifactRendered, messageDue, resendDelivery } from '@pinkas/contracts';
import { eventually, exampleDocument, exampleDue } from '@pinkas/testkit';
import { type DeliveryUnderTest, quietHours, startDelivery } from './delivery.js';
import {
  type Change,
  first,
  followUp,
  lateNumbers,
  number,
  numbered,
  pending,
  withAccountant,
} from './late-numbers.js';

const minute = 60_000;
const refused = { revision: 2 };

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery({ whatsapp: true });
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('a message whose allocation number is late', () => {
  const { issuePending, released, othersAreSent, rowsWhere, mailsTo, subjectsTo } = lateNumbers(
    () => delivery,
  );

  it('a message and the copy of the accountant are held for the number and leave with it at once', async () => {
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await issuePending(recipient, { business: withAccountant(accountant) });
    expect(await delivery.planned(invoice)).toMatchObject({ status: 'queued', scheduled_for: null });
    const heldUntil = new Date(delivery.clock.now.getTime() + 10 * minute);
    for (const row of await delivery.rows(invoice)) {
      expect(row).toMatchObject({ state: 'ready', held_until: heldUntil, next_attempt_at: heldUntil });
    }
    delivery.advanceClock(9 * minute);
    await othersAreSent();
    expect(await subjectsTo(recipient)).toEqual([]);
    await delivery.render(invoice, numbered);
    await rowsWhere(invoice, 2);
    expect(await subjectsTo(recipient)).toEqual([first]);
    expect(await subjectsTo(accountant)).toHaveLength(1);
    const [mail] = await mailsTo(recipient);
    expect(mail?.text).toContain(`מספר הקצאה: ${number}`);
    delivery.advanceClock(24 * 60 * minute);
    await othersAreSent();
    expect(await delivery.rows(invoice)).toHaveLength(2);
    expect((await delivery.attempts(invoice)).map(({ allocation_number }) => allocation_number)).toEqual([
      number,
      number,
    ]);
  });

  it('each recipient gets one message that no input VAT is deducted, and one more with the number that comes after all', async () => {
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await issuePending(recipient, { business: withAccountant(accountant) });
    await delivery.render(invoice, { revision: 1, allocation_number: null });
    await rowsWhere(invoice, 2);
    const notDeductible = { revision: 2, allocation_number: null, not_deductible: true };
    await delivery.render(invoice, notDeductible);
    await rowsWhere(invoice, 4);
    await delivery.render(invoice, { ...notDeductible, revision: 3 });
    await othersAreSent();
    expect(await subjectsTo(recipient)).toEqual([
      first,
      'אין לנכות מס תשומות: חשבונית מס 1 מאת עסק לדוגמה בע"מ',
    ]);
    const [, news] = await mailsTo(recipient);
    expect(news?.text).toContain('מספר הקצאה: אין לנכות מס תשומות בגין חשבונית זו');
    expect((await subjectsTo(accountant))[1]).toBe(
      'עותק לרואה החשבון: אין לנכות מס תשומות, חשבונית מס 1, עסק לדוגמה בע"מ',
    );
    await delivery.render(invoice, { revision: 4, allocation_number: number });
    await rowsWhere(invoice, 6);
    expect((await subjectsTo(recipient)).at(-1)).toBe(followUp);
    const [, , last] = await mailsTo(recipient);
    expect(last?.text).toContain(`מספר הקצאה: ${number}`);
    expect(last?.text).not.toContain('אין לנכות');
  });

  describe('of a donation', () => {
    const reportNumber = '405123456789';
    const donation: Change = { document: { type: 'donation_receipt', due_date: null } };
    const reported = { revision: 2, allocation_number: reportNumber };
    const cancelled = { revision: 3, allocation_number: reportNumber, report_cancelled: true };

    it('a message is held for the number of the report, and leaves with it', async () => {
      const recipient = delivery.newRecipient();
      const receipt = await issuePending(recipient, donation);
      await delivery.render(receipt, reported);
      await rowsWhere(receipt, 1);
      const [mail] = await mailsTo(recipient);
      expect(mail?.text).toContain(`מספר דיווח לרשות המסים: ${reportNumber}`);
      expect(mail?.text).not.toContain('הקצאה');
    });

    it('each recipient of the receipt gets one message that its report was cancelled', async () => {
      const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
      const receipt = await issuePending(recipient, {
        ...donation,
        business: withAccountant(accountant),
      });
      await delivery.render(receipt, reported);
      await rowsWhere(receipt, 2);
      await delivery.render(receipt, cancelled);
      await rowsWhere(receipt, 4);
      await delivery.render(receipt, { ...cancelled, revision: 4 });
      await othersAreSent();
      expect(await subjectsTo(recipient)).toEqual([
        'קבלה על תרומה 1 מאת עסק לדוגמה בע"מ',
        'דיווח בוטל: קבלה על תרומה 1 מאת עסק לדוגמה בע"מ',
      ]);
      const [, news] = await mailsTo(recipient);
      expect(news?.text).toContain('אינה מזכה בזיכוי ממס');
      expect(news?.text).toContain('דיווח לרשות המסים: דיווח בוטל');
      expect((await subjectsTo(accountant))[1]).toBe(
        'עותק לרואה החשבון: דיווח בוטל, קבלה על תרומה 1, עסק לדוגמה בע"מ',
      );
      expect(await delivery.rows(receipt)).toHaveLength(4);
    });

    it('a message that leaves after the cancellation says so, and no other follows it', async () => {
      const recipient = delivery.newRecipient();
      const receipt = await issuePending(recipient, donation);
      await delivery.render(receipt, { revision: 2, allocation_number: null, report_cancelled: true });
      await rowsWhere(receipt, 1);
      const [mail] = await mailsTo(recipient);
      expect(mail?.text).toContain('דיווח לרשות המסים: דיווח בוטל');
      await othersAreSent();
      expect(await delivery.rows(receipt)).toHaveLength(1);
    });

    it('a number that comes late is brought by a follow-up, and its cancellation by one more', async () => {
      const recipient = delivery.newRecipient();
      const receipt = await issuePending(recipient, donation);
      delivery.advanceClock(10 * minute);
      await rowsWhere(receipt, 1);
      await delivery.render(receipt, reported);
      await rowsWhere(receipt, 2);
      await delivery.render(receipt, cancelled);
      await rowsWhere(receipt, 3);
      expect(await subjectsTo(recipient)).toEqual([
        'קבלה על תרומה 1 מאת עסק לדוגמה בע"מ',
        'התקבל מספר דיווח: קבלה על תרומה 1 מאת עסק לדוגמה בע"מ',
        'דיווח בוטל: קבלה על תרומה 1 מאת עסק לדוגמה בע"מ',
      ]);
    });
  });

  it('a message leaves at once when the authority refuses during the hold', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issuePending(recipient);
    await delivery.render(invoice, refused);
    await delivery.inState(invoice, 'sent');
    const [mail] = await mailsTo(recipient);
    expect(mail?.text).not.toContain('הקצאה');
    // A won objection brings the number after all.
    await delivery.render(invoice, { ...numbered, revision: 3 });
    await rowsWhere(invoice, 2);
    expect(await subjectsTo(recipient)).toEqual([first, followUp]);
  });

  it.each([
    ['no number is pending', {}, {}, null],
    ['the business holds for 0 minutes', pending, { allocation_hold_minutes: 0 }, null],
    ['the document was issued longer ago than the hold', pending, {}, '2026-06-15T08:50:00.000Z'],
  ] as const)('a message is not held where %s', async (_case, shown, business, issuedAt) => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient, {
      business,
      document: { issued_at: issuedAt ?? delivery.clock.now.toISOString() },
    });
    await delivery.render(invoice, shown);
    await delivery.inState(invoice, 'sent');
    expect(await subjectsTo(recipient)).toEqual([first]);
  });

  it('a message is held for the minutes of its business', async () => {
    const invoice = await issuePending(delivery.newRecipient(), {
      business: { allocation_hold_minutes: 1_440 },
    });
    expect(await delivery.rows(invoice)).toMatchObject([
      { next_attempt_at: new Date(delivery.clock.now.getTime() + 1_440 * minute) },
    ]);
  });

  it('a message is held whose PDF was final before the plan', async () => {
    const document = exampleDocument({
      business_id: delivery.business.id,
      issued_at: delivery.clock.now.toISOString(),
    });
    document.customer.email = delivery.newRecipient();
    await delivery.render(document, pending);
    await eventually('the rendering is noted', () =>
      delivery.database.db
        .selectFrom('document')
        .selectAll()
        .where('document_id', '=', document.id)
        .where('revision', 'is not', null)
        .executeTakeFirst(),
    );
    await delivery.network.publish(messageDue, document.id, exampleDue(document, delivery.business));
    const [row] = await released(document);
    expect(row).toMatchObject({
      state: 'ready',
      held_until: new Date(delivery.clock.now.getTime() + 10 * minute),
    });
    await delivery.render(document, numbered);
    await delivery.inState(document, 'sent');
    expect(await delivery.rows(document)).toHaveLength(1);
  });

  it('the number ends the hold, whichever revision is published first', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.render(invoice, numbered);
    await delivery.inState(invoice, 'sent');
    await delivery.network.publish(artifactRendered, invoice.id, {
      document_id: invoice.id,
      business_id: invoice.business_id,
      revision: 1,
      sha256: 'ab'.repeat(32),
      allocation_number: null,
      ...pending,
    });
    await othersAreSent();
    expect(
      await delivery.database.db
        .selectFrom('document')
        .select(['revision', 'allocation_number', 'allocation_pending'])
        .where('document_id', '=', invoice.id)
        .execute(),
    ).toEqual([{ revision: 2, allocation_number: number, allocation_pending: false }]);
    expect(await subjectsTo(recipient)).toEqual([first]);
  });

  it('a held message of a document issued in quiet hours leaves with its number when they are over', async () => {
    delivery.clock.now = new Date('2026-06-15T20:00:00Z');
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await issuePending(recipient, {
      business: { ...quietHours, ...withAccountant(accountant) },
    });
    expect(await delivery.planned(invoice)).toEqual({
      status: 'deferred_quiet_hours',
      channel: 'email',
      scheduled_for: '2026-06-16T04:00:00.000Z',
    });
    await delivery.render(invoice, numbered);
    // The copy of the accountant knows no quiet hours.
    await rowsWhere(invoice, 1);
    expect(await subjectsTo(accountant)).toHaveLength(1);
    expect(await subjectsTo(recipient)).toEqual([]);
    delivery.clock.now = new Date('2026-06-16T04:00:00Z');
    await rowsWhere(invoice, 2);
    expect(await subjectsTo(recipient)).toEqual([first]);
  });

  it('a held message and a follow-up of a cancelled document are withdrawn', async () => {
    const recipient = delivery.newRecipient();
    const held = await issuePending(recipient);
    await delivery.cancel(held);
    expect(await delivery.rows(held)).toMatchObject([{ state: 'withdrawn' }]);
    delivery.clock.now = new Date('2026-06-15T18:00:00Z');
    const invoice = await issuePending(recipient, { business: quietHours });
    delivery.advanceClock(10 * minute);
    await rowsWhere(invoice, 1);
    delivery.clock.now = new Date('2026-06-15T23:00:00Z');
    await delivery.render(invoice, numbered);
    await eventually('the follow-up is planned', async () => (await delivery.rows(invoice)).length === 2);
    await delivery.cancel(invoice);
    expect((await delivery.rows(invoice)).map(({ state }) => state).sort()).toEqual(['sent', 'withdrawn']);
    const late = await issuePending(recipient, { business: { allocation_hold_minutes: 0 } });
    await delivery.inState(late, 'sent');
    await delivery.cancel(late);
    await delivery.render(late, numbered);
    await othersAreSent();
    expect(await delivery.rows(late)).toHaveLength(1);
  });

  it('a message whose PDF is fetched while the number comes is fetched again and needs no follow-up', async () => {
    const recipient = delivery.newRecipient();
    let answer = (): void => {};
    delivery.pdfReady = new Promise((resolve) => {
      answer = resolve;
    });
    const invoice = await issuePending(recipient, { business: { allocation_hold_minutes: 0 } });
    await eventually('its PDF is being fetched', () => delivery.releasedArtifacts.includes(invoice.id));
    await delivery.render(invoice, numbered);
    await eventually('the number is known', () =>
      delivery.database.db
        .selectFrom('document')
        .selectAll()
        .where('document_id', '=', invoice.id)
        .where('revision', 'is not', null)
        .where('allocation_number', '=', number)
        .executeTakeFirst(),
    );
    answer();
    await delivery.inState(invoice, 'sent');
    await othersAreSent();
    expect(await delivery.attempts(invoice)).toMatchObject([{ n: 1, allocation_number: number }]);
    expect(await subjectsTo(recipient)).toEqual([first]);
  });

  it('a message that certainly did not leave carries the number at its next attempt, and needs no follow-up', async () => {
    const recipient = delivery.newRecipient();
    await delivery.mailbox.mode('greylist');
    const invoice = await issuePending(recipient, { business: { allocation_hold_minutes: 0 } });
    await delivery.attempted(invoice, 1);
    await delivery.render(invoice, numbered);
    await delivery.mailbox.mode('ok');
    await othersAreSent();
    delivery.advanceClock(minute);
    await delivery.inState(invoice, 'sent');
    await othersAreSent();
    expect(await delivery.rows(invoice)).toHaveLength(1);
    expect((await delivery.attempts(invoice)).map(({ allocation_number }) => allocation_number)).toEqual([
      null,
      number,
    ]);
  });

  it('resendDelivery does not send a held message, and holds a failed one for the rest of the hold', async () => {
    const invoice = await issuePending(delivery.newRecipient());
    const heldUntil = new Date(delivery.clock.now.getTime() + 10 * minute);
    const resend = () => delivery.network.call(resendDelivery, { document_id: invoice.id });
    expect(await resend()).toMatchObject({
      resent: 0,
      messages: [{ state: 'ready', held_until: heldUntil.toISOString(), follow_up: false }],
    });
    await delivery.database.db
      .updateTable('delivery')
      .set({ state: 'failed', failed_at: delivery.clock.now, last_error: 'rejected' })
      .where('document_id', '=', invoice.id)
      .execute();
    expect(await resend()).toMatchObject({
      resent: 1,
      messages: [
        { state: 'ready', next_attempt_at: heldUntil.toISOString(), held_until: heldUntil.toISOString() },
      ],
    });
  });
});
