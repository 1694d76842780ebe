import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Business, type IssuedDocument, listMessages, sendMessage } from '@pinkas/contracts';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import type { WhatsAppSimulator } from './whatsapp-simulator.js';

const second = 1_000;

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery({ whatsapp: true });
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

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
