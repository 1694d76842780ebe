import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { auditDeliveries, type Business, type IssuedDocument, suppressAddress } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const second = 1_000;
const hour = 3_600 * second;

describe('a message that is due', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());
  afterEach(async () => {
    delivery.pdfIsAway = false;
    delivery.pdfComesAfter = Promise.resolve();
    await delivery.mailbox.mode('ok');
  });

  const issueReady = async (
    recipient: string,
    change?: { document?: Partial<IssuedDocument>; business?: Partial<Business> },
  ) => {
    const invoice = await delivery.issue(recipient, change);
    await delivery.render(invoice);
    return invoice;
  };
  /** Issues it, and does something while its PDF is being fetched. */
  const issueAndMeanwhile = async (
    meanwhile: () => unknown,
    ...given: Parameters<typeof issueReady>
  ): Promise<IssuedDocument> => {
    let come = (): void => {};
    delivery.pdfComesAfter = new Promise((resolve) => {
      come = resolve;
    });
    const invoice = await issueReady(...given);
    await eventually('its PDF is being fetched', () => delivery.handedOver.includes(invoice.id));
    await meanwhile();
    come();
    return invoice;
  };
  const sent = (invoice: IssuedDocument) =>
    delivery.rowWhere(invoice, 'the message is sent', (row) => row.state === 'sent');
  const mailTo = async (recipient: string) => {
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails).toHaveLength(1);
    return mails[0] as NonNullable<(typeof mails)[0]>;
  };

  it('brings the signed PDF, byte for byte, under a Hebrew name', async () => {
    const recipient = delivery.newRecipient();
    await sent(await issueReady(recipient, { document: { number: 1042 } }));
    const mail = await mailTo(recipient);
    expect(mail.attachments).toEqual([
      expect.objectContaining({
        filename: 'חשבונית-מס-1042.pdf',
        contentType: 'application/pdf',
        size: delivery.pdf.length,
      }),
    ]);
    expect((await delivery.mailbox.attachment(mail.id, 0)).equals(delivery.pdf)).toBe(true);
  });

  it('comes from the business at our address, answers to the business, and leads to the page', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    const row = await sent(invoice);
    const mail = await mailTo(recipient);
    expect(mail.message_id).toBe(`<${row.id}@pinkas.example.com>`);
    expect(mail.subject).toBe('חשבונית מס 1 מאת עסק לדוגמה בע"מ');
    for (const body of [mail.text, mail.html]) {
      expect(body).toContain(`https://pinkas.example.com/d/${invoice.public_id}`);
    }
    const raw = await delivery.mailbox.raw(mail.id);
    expect(raw).toMatch(/^From: =\?UTF-8\?[\s\S]*<documents@pinkas\.example\.com>\r?$/m);
    expect(raw).toMatch(/^Reply-To: business@example\.com\r?$/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  });

  it('that brings the customer the PDF is known to rendering before the mail server can have taken it', async () => {
    await delivery.mailbox.mode('hang');
    const invoice = await issueReady(delivery.newRecipient());
    await delivery.rowWhere(invoice, 'it is being handed over', ({ state }) => state === 'sending');
    expect(delivery.handedOver.filter((id) => id === invoice.id)).toHaveLength(1);
    expect(delivery.sentOf(invoice)).toEqual([]);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
  });

  it('that goes to the accountant alone leaves the original to the customer', async () => {
    const invoice = await issueReady(delivery.newRecipient(), {
      document: { send: false },
      business: { accountant_copy: { enabled: true, email: delivery.newRecipient() } },
    });
    await sent(invoice);
    expect(delivery.handedOver).not.toContain(invoice.id);
  });

  it('is announced as sent', async () => {
    const invoice = await issueReady(delivery.newRecipient());
    const row = await sent(invoice);
    await eventually('the announcement', () => delivery.sentOf(invoice).length > 0);
    expect(delivery.sentOf(invoice)).toEqual([
      {
        document_id: invoice.id,
        business_id: invoice.business_id,
        delivery_id: row.id,
        channel: 'email',
        purpose: 'customer',
      },
    ]);
  });

  it('goes to its recipient alone, whatever headers a name tries to add', async () => {
    const recipient = delivery.newRecipient();
    const victim = delivery.newRecipient();
    const invoice = await issueReady(recipient, {
      business: { name: `Evil\r\nBcc: ${victim}\r\nX-Evil: yes`, language: 'en', email: null },
    });
    await sent(invoice);
    const mail = await mailTo(recipient);
    expect(mail.to).toEqual([recipient]);
    expect(await delivery.mailbox.mailTo(victim)).toEqual([]);
    expect(await delivery.mailbox.raw(mail.id)).not.toMatch(/^(Bcc|X-Evil|Reply-To):/im);
  });

  it('that the provider refuses for good has failed, with the words of the provider', async () => {
    await delivery.mailbox.mode('refuse');
    const invoice = await issueReady(delivery.newRecipient());
    const row = await delivery.rowWhere(invoice, 'it failed', ({ state }) => state === 'failed');
    expect(row).toMatchObject({
      attempts: 1,
      last_error: expect.stringMatching(/^550 .*no such mailbox here/),
    });
    await eventually('the announcement', () => delivery.failedOf(invoice)[0]);
    expect(delivery.failedOf(invoice)).toMatchObject([{ delivery_id: row.id, reason: row.last_error }]);
  });

  it('that the provider does not take for now is sent five seconds later', async () => {
    await delivery.mailbox.mode('greylist');
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    const row = await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect(row).toMatchObject({ state: 'ready', last_error: expect.stringMatching(/^451 /) });
    expect(row.next_attempt_at.getTime() - delivery.clock.now.getTime()).toBe(5 * second);
    delivery.pass(5 * second);
    await sent(invoice);
    await mailTo(recipient);
  });

  it('waits while the mail server is down, and is sent once when it is up again', async () => {
    const recipient = delivery.newRecipient();
    await delivery.mailbox.kill();
    const invoice = await issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    delivery.pass(5 * second);
    const row = await delivery.rowWhere(invoice, 'it was tried again', ({ attempts }) => attempts === 2);
    expect(row).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    await delivery.mailbox.restart();
    delivery.pass(30 * second);
    await sent(invoice);
    await mailTo(recipient);
  });

  it('is given up after a day, and said to have failed', async () => {
    await delivery.mailbox.kill();
    const invoice = await issueReady(delivery.newRecipient());
    for (let attempts = 1; attempts < 40; attempts += 1) {
      const row = await delivery.rowWhere(invoice, `try ${attempts}`, (now) => now.attempts >= attempts);
      if (row.state === 'failed') break;
      delivery.pass(hour);
    }
    await delivery.mailbox.restart();
    expect(await delivery.rows(invoice)).toMatchObject([{ state: 'failed' }]);
    await eventually('the announcement', () => delivery.failedOf(invoice)[0]);
    // Back to a time at which the other tests' messages are due.
    delivery.clock.now = new Date('2026-06-17T09:00:00Z');
  }, 60_000);

  it('whose fate is unknown since the provider fell silent is sent once more under the same id, and no third time', async () => {
    await delivery.mailbox.mode('hang');
    const recipient = delivery.newRecipient();
    const lost = await issueReady(recipient);
    const row = await delivery.rowWhere(lost, 'it was tried', ({ attempts }) => attempts === 1);
    expect(row).toMatchObject({ state: 'ready', unknown_outcomes: 1 });
    delivery.pass(5 * second);
    expect(
      await delivery.rowWhere(lost, 'it was tried again', ({ attempts }) => attempts === 2),
    ).toMatchObject({ state: 'failed', unknown_outcomes: 2, message_id: row.message_id });
    await delivery.mailbox.mode('ok');

    const found = await issueReady(recipient);
    await sent(found);
    await mailTo(recipient);
  });

  it('that a process died over is sent once more under the same id', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    const first = await sent(invoice);
    // What such a process leaves behind: handed over, and not stored.
    const setBack = () =>
      delivery.database.db
        .updateTable('delivery')
        .set({ state: 'sending', sent_at: null, claimed_until: delivery.clock.now })
        .where('id', '=', first.id)
        .execute();
    await setBack();
    delivery.pass(second);
    await delivery.rowWhere(invoice, 'it is to be sent again', (row) => row.unknown_outcomes === 1);
    delivery.pass(30 * second);
    await sent(invoice);
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails.map((mail) => mail.message_id)).toEqual([first.message_id, first.message_id]);

    await setBack();
    delivery.pass(second);
    await delivery.rowWhere(invoice, 'it is not sent a third time', (row) => row.state === 'failed');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
  });

  it('waits while its PDF cannot be fetched', async () => {
    delivery.pdfIsAway = true;
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    const row = await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect(row).toMatchObject({ state: 'ready', last_error: 'The PDF could not be fetched.' });
    delivery.pdfIsAway = false;
    delivery.pass(5 * second);
    await sent(invoice);
    await mailTo(recipient);
  });

  it('that was held up does not leave in quiet hours that have begun meanwhile', async () => {
    await delivery.mailbox.mode('greylist');
    const recipient = delivery.newRecipient();
    delivery.clock.now = new Date('2026-06-18T18:59:58Z');
    const invoice = await issueReady(recipient, {
      business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } },
    });
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    delivery.pass(5 * second);
    await delivery.rowWhere(
      invoice,
      'it waits for the morning',
      (row) => row.not_before?.toISOString() === '2026-06-19T04:00:00.000Z',
    );
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.clock.now = new Date('2026-06-19T04:00:00Z');
    await sent(invoice);
    await mailTo(recipient);
  });

  it('does not leave in quiet hours that begin while its PDF is being fetched', async () => {
    const recipient = delivery.newRecipient();
    delivery.clock.now = new Date('2026-06-22T18:59:59Z');
    const invoice = await issueAndMeanwhile(
      () => {
        delivery.clock.now = new Date('2026-06-22T19:00:00Z');
      },
      recipient,
      { business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } } },
    );
    await delivery.rowWhere(
      invoice,
      'it waits for the morning',
      (row) => row.not_before?.toISOString() === '2026-06-23T04:00:00.000Z',
    );
    expect(await delivery.attempts(invoice)).toEqual([]);
    delivery.clock.now = new Date('2026-06-23T04:00:00Z');
    await sent(invoice);
    await mailTo(recipient);
  });

  it('does not leave to an address that is suppressed while its PDF is being fetched', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issueAndMeanwhile(
      () =>
        delivery.network.ask(suppressAddress, {
          business_id: delivery.business.id,
          address: recipient,
          words: null,
        }),
      recipient,
    );
    const row = await delivery.rowWhere(invoice, 'it has failed', ({ state }) => state === 'failed');
    expect(row.last_error).toBe('The address is suppressed.');
    expect(await delivery.attempts(invoice)).toEqual([]);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('tells while it is being handed over when it is taken up again if nobody says what came of that', async () => {
    const invoice = await issueReady(delivery.newRecipient());
    const { id } = await sent(invoice);
    const claimedUntil = new Date(delivery.clock.now.getTime() + hour);
    await delivery.database.db
      .updateTable('delivery')
      .set({ state: 'sending', sent_at: null, claimed_until: claimedUntil })
      .where('id', '=', id)
      .execute();
    const { documents } = await delivery.network.ask(auditDeliveries, {
      business_id: invoice.business_id,
      document_ids: [invoice.id],
    });
    expect(documents[0]?.messages).toMatchObject([
      { state: 'sending', next_attempt_at: claimedUntil.toISOString() },
    ]);
  });
});
