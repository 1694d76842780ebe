import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  artifactRendered,
  auditDeliveries,
  type Business,
  type IssuedDocument,
  listMessages,
  messageDue,
  resendDelivery,
  sendMessage,
  suppressAddress,
} from '@pinkas/contracts';
import { eventually, exampleDocument, exampleDue } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import { type WhatsAppSimulator } from './whatsapp-simulator.js';

const minute = 60_000;
const number = '123456789';
const pending = { allocation_pending: true };
const numbered = { revision: 2, allocation_number: number };
const refused = { revision: 2 };
const second = 1_000;

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery({ whatsapp: true });
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('a message whose allocation number is late', () => {
  type Change = { document?: Partial<IssuedDocument>; business?: Partial<Business> };
  /** Issues a document whose number is pending, and waits until its messages are held or due. */
  const issuePending = async (recipient: string | null, change: Change = {}) => {
    const invoice = await delivery.issue(recipient, change);
    await delivery.render(invoice, pending);
    await released(invoice);
    return invoice;
  };
  const released = (invoice: IssuedDocument) =>
    eventually('no message waits for its PDF', async () => {
      const rows = await delivery.rows(invoice);
      return rows.length > 0 && rows.every(({ state }) => state !== 'waiting') && rows;
    });
  /** Waits until the sender has worked through what is due: a message that is due now is sent. */
  const othersAreSent = async () =>
    delivery.inState(await delivery.issueReady(delivery.newRecipient()), 'sent');
  const rowsWhere = (invoice: IssuedDocument, count: number) =>
    eventually(`${count} messages are sent`, async () => {
      const rows = await delivery.rows(invoice);
      return rows.filter(({ state }) => state === 'sent').length === count && rows;
    });
  /** The oldest first. */
  const mailsTo = async (recipient: string) => (await delivery.mailbox.mailTo(recipient)).reverse();
  const subjectsTo = async (recipient: string) => (await mailsTo(recipient)).map(({ subject }) => subject);
  const withAccountant = (email: string): Partial<Business> => ({
    accountant_copy: { enabled: true, email },
  });
  const byWhatsApp = (phone: string): Change => ({
    document: { customer: { ...exampleDocument().customer, phone } },
    business: { auto_send: { enabled: true, channel: 'both', quiet_hours: null } },
  });
  const quietHours = { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } } as const;
  const first = 'חשבונית מס 1 מאת עסק לדוגמה בע"מ';
  const followUp = 'התקבל מספר הקצאה: חשבונית מס 1 מאת עסק לדוגמה בע"מ';

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

  it('a message leaves without the number when the hold is over, and one follow-up each brings it', async () => {
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await issuePending(recipient, { business: withAccountant(accountant) });
    delivery.advanceClock(10 * minute);
    await rowsWhere(invoice, 2);
    const [mail] = await mailsTo(recipient);
    expect(mail?.text).toContain('מספר ההקצאה בתהליך קבלה מרשות המסים.');
    delivery.advanceClock(60 * minute);
    await delivery.render(invoice, numbered);
    await rowsWhere(invoice, 4);
    await eventually('the events are published', () => delivery.sentOf(invoice).length === 4);
    expect(delivery.sentOf(invoice).filter((event) => event.follow_up)).toHaveLength(2);
    expect(await subjectsTo(recipient)).toEqual([first, followUp]);
    expect(await subjectsTo(accountant)).toEqual([
      'עותק לרואה החשבון: חשבונית מס 1, עסק לדוגמה בע"מ',
      'עותק לרואה החשבון: התקבל מספר הקצאה, חשבונית מס 1, עסק לדוגמה בע"מ',
    ]);
    const [, followed] = await mailsTo(recipient);
    expect(followed?.text).toContain(`מספר הקצאה: ${number}`);
    expect(await delivery.mailbox.raw(followed?.id ?? '')).toContain(`In-Reply-To: ${mail?.message_id}`);
    expect(followed?.message_id).not.toBe(mail?.message_id);
    // The same news again, in any form, brings nothing more.
    await delivery.redeliverAll();
    await delivery.render(invoice, { ...numbered, revision: 3 });
    await othersAreSent();
    expect(await delivery.rows(invoice)).toHaveLength(4);
    const { documents } = await delivery.network.call(auditDeliveries, {
      business_id: invoice.business_id,
      document_ids: [invoice.id],
    });
    expect(
      documents[0]?.messages
        .filter(({ purpose }) => purpose === 'customer')
        .map(({ follow_up, accepted, without_number }) => ({ follow_up, accepted, without_number })),
    ).toEqual([
      { follow_up: false, accepted: 1, without_number: 1 },
      { follow_up: true, accepted: 1, without_number: 0 },
    ]);
  });

  it('a follow-up leaves by WhatsApp with its own template and the number', async () => {
    const [recipient, phone] = [delivery.newRecipient(), delivery.newPhone()];
    const invoice = await issuePending(recipient, byWhatsApp(phone));
    delivery.advanceClock(10 * minute);
    await rowsWhere(invoice, 2);
    await delivery.render(invoice, numbered);
    await rowsWhere(invoice, 4);
    const messages = (await delivery.whatsapp?.acceptedTo(phone)) ?? [];
    expect(messages.map(({ body }) => body.template.name)).toEqual(['document_ready', 'document_allocated']);
    expect(messages[1]?.body.template.components[0]?.parameters.map(({ text }) => text)).toEqual([
      'עסק לדוגמה בע"מ',
      'חשבונית מס',
      '1',
      number,
    ]);
    expect(await subjectsTo(recipient)).toEqual([first, followUp]);
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

  it('a follow-up waits for the end of the quiet hours when the number comes at night', async () => {
    delivery.clock.now = new Date('2026-06-15T18:00:00Z');
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await issuePending(recipient, {
      business: { ...quietHours, ...withAccountant(accountant) },
    });
    delivery.advanceClock(10 * minute);
    await rowsWhere(invoice, 2);
    delivery.clock.now = new Date('2026-06-15T23:00:00Z');
    await delivery.render(invoice, numbered);
    await rowsWhere(invoice, 3);
    expect(await subjectsTo(accountant)).toHaveLength(2);
    expect(await subjectsTo(recipient)).toEqual([first]);
    expect((await delivery.rows(invoice)).find(({ state }) => state === 'ready')).toMatchObject({
      purpose: 'customer',
      not_before: new Date('2026-06-16T04:00:00Z'),
    });
    delivery.clock.now = new Date('2026-06-16T04:00:00Z');
    await rowsWhere(invoice, 4);
    expect(await subjectsTo(recipient)).toEqual([first, followUp]);
  });

  it('a follow-up to an address that was suppressed since is not sent, and an operator sees why', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issuePending(recipient);
    delivery.advanceClock(10 * minute);
    await rowsWhere(invoice, 1);
    await delivery.network.call(suppressAddress, {
      business_id: invoice.business_id,
      address: recipient,
      detail: null,
    });
    await delivery.render(invoice, numbered);
    const failed = await eventually('the follow-up has failed', async () =>
      (await delivery.rows(invoice)).find(({ state }) => state === 'failed'),
    );
    expect(failed).toMatchObject({ last_error: 'The address is suppressed.' });
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

  it('a message that may have left without the number is repeated with it and followed up', async () => {
    const recipient = delivery.newRecipient();
    await delivery.mailbox.mode('drop_after_data', 1);
    const invoice = await issuePending(recipient, { business: { allocation_hold_minutes: 0 } });
    const row = await delivery.attempted(invoice, 1);
    await delivery.render(invoice, numbered);
    await eventually('the follow-up is planned', async () => (await delivery.rows(invoice)).length === 2);
    delivery.advanceClock(minute);
    await rowsWhere(invoice, 2);
    expect((await subjectsTo(recipient)).sort()).toEqual([followUp, first, first].sort());
    const shown = (await delivery.attempts(invoice)).map((attempt) => [
      attempt.delivery_id === row.id ? 'message' : 'follow-up',
      attempt.outcome,
      attempt.allocation_number,
    ]);
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['message', 'unknown', null],
        ['message', 'accepted', number],
        ['follow-up', 'accepted', number],
      ]),
    );
  });

  it('a follow-up is planned for an attempt whose process died before its outcome was stored', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issuePending(recipient, { business: { allocation_hold_minutes: 0 } });
    const [row] = await rowsWhere(invoice, 1);
    // What such a process leaves behind.
    await delivery.database.db
      .updateTable('attempt')
      .set({ outcome: null, ended_at: null })
      .where('delivery_id', '=', row?.id ?? '')
      .execute();
    await delivery.database.db
      .updateTable('delivery')
      .set({
        state: 'sending',
        sent_at: null,
        claimed_until: new Date(delivery.clock.now.getTime() + minute),
      })
      .where('id', '=', row?.id ?? '')
      .execute();
    await delivery.render(invoice, numbered);
    await othersAreSent();
    expect(await delivery.rows(invoice)).toHaveLength(1);
    delivery.advanceClock(2 * minute);
    await eventually('the follow-up is planned', async () => (await delivery.rows(invoice)).length === 2);
    delivery.advanceClock(minute);
    await rowsWhere(invoice, 2);
    expect(await subjectsTo(recipient)).toContain(followUp);
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

  it('each recipient gets the number, and at most one follow-up, in any order of events', async () => {
    const recipient = delivery.newRecipient();
    const business = { ...delivery.business, allocation_hold_minutes: 0 };
    const documents = Array.from({ length: 20 }, () => {
      const document = exampleDocument({ business_id: delivery.business.id });
      document.customer.email = recipient;
      return document;
    });
    await Promise.all(
      documents.flatMap((document) => [
        delivery.network.publish(messageDue, document.id, exampleDue(document, business)),
        delivery.render(document, pending),
        delivery.render(document, numbered),
      ]),
    );
    await eventually('all is sent', async () => {
      const rows = (await Promise.all(documents.map((document) => delivery.rows(document)))).flat();
      return rows.length >= 20 && rows.every(({ state }) => state === 'sent');
    });
    await othersAreSent();
    for (const document of documents) {
      const attempts = await delivery.attempts(document);
      const shown = attempts.map(({ allocation_number }) => allocation_number);
      expect([[number], [null, number], [number, null]]).toContainEqual(shown);
    }
  });
});

describe('MessageSender by WhatsApp', () => {
  let whatsapp: WhatsAppSimulator;
  beforeAll(async () => {
    whatsapp = delivery.whatsapp as WhatsAppSimulator;
  });
  const byWhatsApp = { auto_send: { enabled: true, channel: 'whatsapp', quiet_hours: null } } as const;
  const issueTo = async (
    phone: string,
    change: { document?: Partial<IssuedDocument>; business?: Partial<Business>; email?: string } = {},
  ) => {
    const { customer } = exampleDocument();
    const invoice = await delivery.issue(change.email ?? null, {
      document: { ...change.document, customer: { ...customer, phone } },
      business: { ...byWhatsApp, ...change.business },
    });
    await delivery.render(invoice);
    return invoice;
  };

  it('MessageSender sends the approved template with its parameters, button and delivery id', async () => {
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone, { document: { number: 1042 } });
    expect(await delivery.planned(invoice)).toEqual({
      status: 'queued',
      channel: 'whatsapp',
      scheduled_for: null,
    });
    const row = await delivery.inState(invoice, 'sent');
    const [message] = await whatsapp.acceptedTo(phone);
    expect(message?.body).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: phone,
      type: 'template',
      template: {
        name: 'document_ready',
        language: { code: 'he' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'עסק לדוגמה בע"מ' },
              { type: 'text', text: 'חשבונית מס' },
              { type: 'text', text: '1042' },
              { type: 'text', text: expect.stringContaining('7,080.00') },
            ],
          },
          {
            type: 'button',
            sub_type: 'url',
            index: '0',
            parameters: [{ type: 'text', text: invoice.public_id }],
          },
        ],
      },
      biz_opaque_callback_data: row.id,
    });
    expect(await delivery.attempts(invoice)).toMatchObject([
      { n: 1, outcome: 'accepted', provider_id: message?.id },
    ]);
    await eventually('the event is published', () => delivery.sentOf(invoice)[0]);
    expect(delivery.sentOf(invoice)).toMatchObject([{ channel: 'whatsapp', purpose: 'customer' }]);
    // From here on a new PDF is a copy, as after a mail.
    expect(delivery.releasedArtifacts).toContain(invoice.id);
  });

  it('MessageSender uses the language of the business and single-line names', async () => {
    const phone = delivery.newPhone();
    await delivery.inState(
      await issueTo(phone, { business: { language: 'en', name: 'Example\n\t     Ltd' } }),
      'sent',
    );
    const [message] = await whatsapp.acceptedTo(phone);
    expect(message?.body.template.language.code).toBe('en_US');
    expect(message?.body.template.components[0]?.parameters.map(({ text }) => text)).toEqual([
      'Example Ltd',
      'Tax invoice',
      '1',
      '₪7,080.00',
    ]);
  });

  it('MessageSender sends WhatsApp messages to valid phone numbers only', async () => {
    const phone = delivery.newPhone();
    const local = `0${phone.slice(4, 6)}-${phone.slice(6)}`;
    await delivery.inState(await issueTo(local), 'sent');
    expect(await whatsapp.acceptedTo(phone)).toHaveLength(1);
    const nowhere = await issueTo('1234567');
    expect(await delivery.planned(nowhere)).toMatchObject({ status: 'no_recipient' });
  });

  it('MessageSender sends by WhatsApp and by email where the business wants both', async () => {
    const [phone, email] = [delivery.newPhone(), delivery.newRecipient()];
    const invoice = await issueTo(phone, {
      email,
      business: { auto_send: { enabled: true, channel: 'both', quiet_hours: null } },
    });
    expect(await delivery.planned(invoice)).toEqual({
      status: 'queued',
      channel: 'both',
      scheduled_for: null,
    });
    await eventually('both are sent', async () => {
      const rows = await delivery.rows(invoice);
      return rows.length === 2 && rows.every(({ state }) => state === 'sent');
    });
    expect(await whatsapp.acceptedTo(phone)).toHaveLength(1);
    expect(await delivery.mailbox.mailTo(email)).toHaveLength(1);
  });

  it.each([
    ['refuse', 131047],
    ['refuse', 132001],
    ['error_in_200', 131047],
  ])('MessageSender fails a WhatsApp message rejected with %s %s', async (mode, code) => {
    await whatsapp.mode({ mode, code });
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    const row = await delivery.inState(invoice, 'failed');
    expect(row).toMatchObject({ attempts: 1, last_error: expect.stringContaining(String(code)) });
    expect(await whatsapp.acceptedTo(phone)).toEqual([]);
    expect(await delivery.attempts(invoice)).toMatchObject([{ outcome: 'permanent' }]);
  });

  it.each([
    ['refuse', 130429],
    ['refuse', 190],
    ['error_in_200', 131056],
    ['error', 0],
  ])('MessageSender repeats a WhatsApp message after %s %s five seconds later', async (mode, code) => {
    await whatsapp.mode({ mode, code, times: 1 });
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    expect(await delivery.attempted(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await whatsapp.acceptedTo(phone)).toHaveLength(1);
  });

  it.each(['hang', 'malformed'])(
    'MessageSender repeats a WhatsApp message of unknown outcome (%s) once and never a third time',
    async (mode) => {
      await whatsapp.mode({ mode });
      const phone = delivery.newPhone();
      const invoice = await issueTo(phone);
      expect(await delivery.attempted(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 1 });
      delivery.advanceClock(5 * second);
      expect(await delivery.attempted(invoice, 2)).toMatchObject({ state: 'failed', unknown_outcomes: 2 });
      expect(await whatsapp.requestsTo(phone)).toBe(2);
    },
  );

  it('MessageSender sends a WhatsApp message with a late response at most twice under the same id', async () => {
    await whatsapp.mode({ mode: 'ok', delay_ms: 3_000 });
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    const row = await delivery.attempted(invoice, 2);
    expect(row.state).toBe('failed');
    const ids = (await whatsapp.acceptedTo(phone)).map(({ body }) => body.biz_opaque_callback_data);
    expect(ids).toEqual([row.id, row.id]);
  });

  it('MessageSender sends a WhatsApp message once when the provider is back', async () => {
    await whatsapp.kill();
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    expect(await delivery.attempted(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    await whatsapp.restart();
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await whatsapp.acceptedTo(phone)).toHaveLength(1);
  });

  it('MessageSender suppresses a number without WhatsApp', async () => {
    await whatsapp.mode({ mode: 'refuse', times: 1 });
    const phone = delivery.newPhone();
    await delivery.inState(await issueTo(phone), 'failed');
    const next = await issueTo(phone);
    expect(await delivery.planned(next)).toEqual({
      status: 'suppressed',
      channel: null,
      scheduled_for: null,
    });
    expect(await whatsapp.requestsTo(phone)).toBe(1);
    // Another business may know better.
    const other = await issueTo(phone, { document: { business_id: '00000000-0000-4000-8000-000000000001' } });
    await delivery.inState(other, 'sent');
  });
});

describe('SendMessage by WhatsApp', () => {
  it('SendMessage sends by WhatsApp to a number as a person writes it', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    await delivery.inState(invoice, 'sent');
    const phone = delivery.newPhone();
    const id = randomUUID();
    await delivery.network.call(sendMessage, {
      business_id: invoice.business_id,
      document_id: invoice.id,
      delivery_id: id,
      channel: 'whatsapp',
      recipient: `0${phone.slice(4, 6)}-${phone.slice(6)}`,
    });
    await eventually('the message is sent', async () => {
      const { messages } = await delivery.network.call(listMessages, {
        business_id: invoice.business_id,
        document_id: invoice.id,
      });
      return messages.some(
        (message) => message.delivery_id === id && message.state === 'sent' && message.recipient === phone,
      );
    });
  });
});

describe('PlanDelivery without WhatsApp', () => {
  it('PlanDelivery without WhatsApp returns send_failed and lists the failure', async () => {
    const delivery = await startDelivery();
    try {
      const { customer } = exampleDocument();
      const invoice = await delivery.issue(null, {
        document: { customer: { ...customer, phone: delivery.newPhone() } },
        business: { auto_send: { enabled: true, channel: 'whatsapp', quiet_hours: null } },
      });
      expect(await delivery.planned(invoice)).toEqual({
        status: 'send_failed',
        channel: 'whatsapp',
        scheduled_for: null,
      });
      expect(await delivery.rows(invoice)).toMatchObject([
        { state: 'failed', last_error: 'WhatsApp is not set up.' },
      ]);
    } finally {
      await delivery.stop();
    }
  });
});

describe('MessageSender with a hanging mail server', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    // Longer than a test waits for anything.
    delivery = await startDelivery({ whatsapp: true, patience: 60 * second });
  });
  // Killed first: the emails in flight would be waited for.
  afterAll(() => delivery.mailbox.kill().then(() => delivery.stop()));

  it('MessageSender sends by WhatsApp while the mail server hangs', async () => {
    await delivery.mailbox.mode('hang');
    const mails: IssuedDocument[] = [];
    for (let n = 0; n < 8; n += 1) {
      mails.push(await delivery.issue(delivery.newRecipient()));
    }
    for (const mail of mails) {
      await delivery.render(mail);
    }
    await eventually('no more mails are handed over at once', async () => {
      const rows = (await Promise.all(mails.map((mail) => delivery.rows(mail)))).flat();
      return rows.filter(({ state }) => state === 'sending').length === 5;
    });
    const { customer } = exampleDocument();
    const invoice = await delivery.issue(null, {
      document: { customer: { ...customer, phone: delivery.newPhone() } },
      business: { auto_send: { enabled: true, channel: 'whatsapp', quiet_hours: null } },
    });
    await delivery.render(invoice);
    await delivery.inState(invoice, 'sent');
  });
});
