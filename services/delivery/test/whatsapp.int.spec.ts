import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import type { WhatsAppStandIn } from './whatsapp-stand-in.js';

const second = 1_000;

describe('a message by WhatsApp', () => {
  let delivery: DeliveryUnderTest;
  let whatsapp: WhatsAppStandIn;
  beforeAll(async () => {
    delivery = await startDelivery({ whatsapp: true });
    whatsapp = delivery.whatsapp as WhatsAppStandIn;
  });
  afterAll(() => delivery.stop());
  afterEach(() => whatsapp.mode({ mode: 'ok' }));

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
  const where = (invoice: IssuedDocument, state: string) =>
    delivery.rowWhere(invoice, `it is ${state}`, (row) => row.state === state);
  const tried = (invoice: IssuedDocument, times: number) =>
    delivery.rowWhere(invoice, `it was tried ${times} times`, ({ attempts }) => attempts === times);

  it('is the approved template, filled in, with the page behind its button and our id', async () => {
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone, { document: { number: 1042 } });
    expect(await delivery.planned(invoice)).toEqual({
      status: 'queued',
      channel: 'whatsapp',
      scheduled_for: null,
    });
    const row = await where(invoice, 'sent');
    const [message] = await whatsapp.acceptedFor(phone);
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
    await eventually('the announcement', () => delivery.sentOf(invoice)[0]);
    expect(delivery.sentOf(invoice)).toMatchObject([{ channel: 'whatsapp', purpose: 'customer' }]);
    // From here on a new PDF is a copy, as after a mail.
    expect(delivery.handedOver).toContain(invoice.id);
  });

  it('is in the language of the business, and its names are on one line', async () => {
    const phone = delivery.newPhone();
    await where(await issueTo(phone, { business: { language: 'en', name: 'Example\n\t     Ltd' } }), 'sent');
    const [message] = await whatsapp.acceptedFor(phone);
    expect(message?.body.template.language.code).toBe('en_US');
    expect(message?.body.template.components[0]?.parameters.map(({ text }) => text)).toEqual([
      'Example Ltd',
      'Tax invoice',
      '1',
      '₪7,080.00',
    ]);
  });

  it('goes to a number however it is written, and to none that is no number', async () => {
    const phone = delivery.newPhone();
    const local = `0${phone.slice(4, 6)}-${phone.slice(6)}`;
    await where(await issueTo(local), 'sent');
    expect(await whatsapp.acceptedFor(phone)).toHaveLength(1);
    const nowhere = await issueTo('1234567');
    expect(await delivery.planned(nowhere)).toMatchObject({ status: 'no_recipient' });
  });

  it('goes beside the mail where the business wants both', async () => {
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
    expect(await whatsapp.acceptedFor(phone)).toHaveLength(1);
    expect(await delivery.mailbox.mailTo(email)).toHaveLength(1);
  });

  it.each([
    ['refuse', 131047],
    ['refuse', 132001],
    ['error_in_200', 131047],
  ])('answered with %s %s has failed for good, with its words', async (mode, code) => {
    await whatsapp.mode({ mode, code });
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    const row = await where(invoice, 'failed');
    expect(row).toMatchObject({ attempts: 1, last_error: expect.stringContaining(String(code)) });
    expect(await whatsapp.acceptedFor(phone)).toEqual([]);
    expect(await delivery.attempts(invoice)).toMatchObject([{ outcome: 'permanent' }]);
  });

  it.each([
    ['refuse', 130429],
    ['refuse', 190],
    ['error_in_200', 131056],
    ['error', 0],
  ])('answered with %s %s once is sent five seconds later', async (mode, code) => {
    await whatsapp.mode({ mode, code, times: 1 });
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    expect(await tried(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    delivery.pass(5 * second);
    await where(invoice, 'sent');
    expect(await whatsapp.acceptedFor(phone)).toHaveLength(1);
  });

  it.each(['hang', 'malformed'])(
    'of which nobody knows whether it was taken (%s) is sent once more, and not a third time',
    async (mode) => {
      await whatsapp.mode({ mode });
      const phone = delivery.newPhone();
      const invoice = await issueTo(phone);
      expect(await tried(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 1 });
      delivery.pass(5 * second);
      expect(await tried(invoice, 2)).toMatchObject({ state: 'failed', unknown_outcomes: 2 });
      expect(await whatsapp.askedFor(phone)).toBe(2);
    },
  );

  it('that was taken while its answer was late arrives once more under the same id, and no oftener', async () => {
    await whatsapp.mode({ mode: 'ok', delay_ms: 3_000 });
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    await tried(invoice, 1);
    delivery.pass(5 * second);
    const row = await tried(invoice, 2);
    expect(row.state).toBe('failed');
    const ids = (await whatsapp.acceptedFor(phone)).map(({ body }) => body.biz_opaque_callback_data);
    expect(ids).toEqual([row.id, row.id]);
  });

  it('waits while the provider is away, and is sent once when it is back', async () => {
    await whatsapp.kill();
    const phone = delivery.newPhone();
    const invoice = await issueTo(phone);
    expect(await tried(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    await whatsapp.restart();
    delivery.pass(5 * second);
    await where(invoice, 'sent');
    expect(await whatsapp.acceptedFor(phone)).toHaveLength(1);
  });

  it('to a number without WhatsApp has failed, and that number is not written to again', async () => {
    await whatsapp.mode({ mode: 'refuse', times: 1 });
    const phone = delivery.newPhone();
    await where(await issueTo(phone), 'failed');
    const next = await issueTo(phone);
    expect(await delivery.planned(next)).toEqual({
      status: 'suppressed',
      channel: null,
      scheduled_for: null,
    });
    expect(await whatsapp.askedFor(phone)).toBe(1);
    // Another business may know better.
    const other = await issueTo(phone, { document: { business_id: '00000000-0000-4000-8000-000000000001' } });
    await where(other, 'sent');
  });
});

describe('a message by WhatsApp where that is not set up', () => {
  it('is send_failed, and stands where an operator sees it', async () => {
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

describe('while the mail server takes mails and never answers', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    // Longer than a test waits for anything.
    delivery = await startDelivery({ whatsapp: true, patience: 60 * second });
  });
  // Killed first: the mails in hand would be waited for.
  afterAll(() => delivery.mailbox.kill().then(() => delivery.stop()));

  it('a message by WhatsApp leaves', async () => {
    await delivery.mailbox.mode('hang');
    const mails: IssuedDocument[] = [];
    for (let n = 0; n < 8; n += 1) mails.push(await delivery.issue(delivery.newRecipient()));
    for (const mail of mails) await delivery.render(mail);
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
    await delivery.rowWhere(invoice, 'it is sent', ({ state }) => state === 'sent');
  });
});
