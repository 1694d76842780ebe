import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { auditDeliveries, messageDue, suppressAddress } from '@pinkas/contracts';
import { eventually, exampleDocument, exampleDue } from '@pinkas/testkit';
import { MessageChannels } from '../src/send/message-channels.js';
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

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery({ whatsapp: true });
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('the follow-up of a message whose allocation number is late', () => {
  const { issuePending, othersAreSent, rowsWhere, mailsTo, subjectsTo } = lateNumbers(() => delivery);
  const byWhatsApp = (phone: string): Change => ({
    document: { customer: { ...exampleDocument().customer, phone } },
    business: { auto_send: { enabled: true, channel: 'both', quiet_hours: null } },
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

  it('a follow-up is planned for a message that is accepted when the number has come during its attempt', async () => {
    const recipient = delivery.newRecipient();
    const channels = delivery.service.app.get(MessageChannels);
    const send = channels.send.bind(channels);
    const held = jest.spyOn(channels, 'send').mockImplementationOnce(async (row, content) => {
      const outcome = await send(row, content);
      const invoice = await eventually('the document is known', () =>
        delivery.issued.map(({ document }) => document).find(({ id }) => id === row.document_id),
      );
      await delivery.render(invoice, numbered);
      await eventually('its number is known', () =>
        delivery.database.db
          .selectFrom('document')
          .select('revision')
          .where('document_id', '=', invoice.id)
          .where('revision', '=', numbered.revision)
          .executeTakeFirst(),
      );
      return outcome;
    });
    const invoice = await issuePending(recipient, { business: { allocation_hold_minutes: 0 } });
    await rowsWhere(invoice, 2);
    held.mockRestore();
    expect(await subjectsTo(recipient)).toEqual([first, followUp]);
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
