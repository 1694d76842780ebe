import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedDocument } from '@pinkas/contracts';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const second = 1_000;
const dayMs = 24 * 60 * 60 * second;

describe('the daily limit of messages', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery({ config: async () => ({ messagesPerBusinessAndDay: 5 }) });
  });
  afterAll(() => delivery.stop());

  it('messages beyond the limit of their business wait for the next day in Israel, and every one is sent once', async () => {
    const recipient = delivery.newRecipient();
    const documents = await Promise.all(Array.from({ length: 8 }, () => delivery.issue(recipient)));
    await Promise.all(documents.map((document) => delivery.render(document)));
    // Noon of 15 June; the next day begins at 21:00 UTC.
    const decided = await Promise.all(
      documents.map((document) =>
        delivery.rowWhere(
          document,
          'the message is sent or deferred',
          ({ state, not_before }) => state === 'sent' || not_before !== null,
        ),
      ),
    );
    const deferred = decided.filter(({ state }) => state !== 'sent');
    expect(deferred).toHaveLength(3);
    for (const row of deferred) {
      expect(row).toMatchObject({
        state: 'ready',
        attempts: 0,
        not_before: new Date('2026-06-15T21:00:00Z'),
      });
    }
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(5);

    // Another business has a limit of its own.
    const other = randomUUID();
    const elsewhere = await delivery.issue(delivery.newRecipient(), {
      document: { business_id: other },
      business: { id: other },
    });
    await delivery.render(elsewhere);
    await delivery.inState(elsewhere, 'sent');

    delivery.advanceClock(dayMs);
    for (const document of documents) {
      await delivery.inState(document, 'sent');
    }
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(8);
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
