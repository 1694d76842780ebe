import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { auditDeliveries, type IssuedDocument, suppressAddress } from '@pinkas/contracts';
import { createLogger, openDatabase } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import { generateDkimKey, isDkimSigned } from './dkim.js';

const second = 1_000;
const hour = 3_600 * second;

const dkimKey = generateDkimKey();
const domain = 'shop.example.com';
let delivery: DeliveryUnderTest;
beforeAll(async () => {
  const dkimKeys = new Map([[domain, { domain, selector: 'pinkas', privateKey: dkimKey.pem }]]);
  delivery = await startDelivery({ config: async () => ({ dkimKeys }) });
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('MessageSender', () => {
  /** Issues it, and does something while its PDF is being fetched. */
  const issueAndMeanwhile = async (
    meanwhile: () => unknown,
    ...given: Parameters<DeliveryUnderTest['issueReady']>
  ): Promise<IssuedDocument> => {
    let come = (): void => {};
    delivery.pdfReady = new Promise((resolve) => {
      come = resolve;
    });
    const invoice = await delivery.issueReady(...given);
    await eventually('its PDF is being fetched', () => delivery.releasedArtifacts.includes(invoice.id));
    await meanwhile();
    come();
    return invoice;
  };
  const mailTo = async (recipient: string) => {
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails).toHaveLength(1);
    return mails[0] as NonNullable<(typeof mails)[0]>;
  };

  it('MessageSender attaches the signed PDF byte for byte under a Hebrew name', async () => {
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issueReady(recipient, { document: { number: 1042 } }), 'sent');
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

  it('an email brings the logo of the business with it, and leaves without one that rendering does not give', async () => {
    const png = Buffer.from('a picture of the business');
    const logo = { sha256: createHash('sha256').update(png).digest('hex') };
    const [recipient, other, third] = [1, 2, 3].map(() => delivery.newRecipient());
    const sendTo = async (to: string, sha256: string) => {
      const invoice = await delivery.issueReady(to, { business: { logo: { sha256 } } });
      await delivery.inState(invoice, 'sent');
      const [mail] = await delivery.mailbox.mailTo(to);
      return { mail, raw: await delivery.mailbox.raw(mail?.id ?? '') };
    };
    delivery.logos.set(logo.sha256, png);
    const { mail, raw } = await sendTo(recipient ?? '', logo.sha256);
    expect(mail?.html).toContain('<img src="cid:logo@pinkas"');
    expect(raw).toMatch(/Content-Type: multipart\/related/);
    const part = raw.split(/\r?\n--/).find((part) => part.includes('Content-ID: <logo@pinkas>')) ?? '';
    expect(part).toMatch(/Content-Type: image\/png/);
    expect(part).toMatch(/Content-Disposition: inline/);
    expect(part).toContain(png.toString('base64'));
    // A logo never changes: rendering is asked for it once.
    delivery.logos.delete(logo.sha256);
    expect((await sendTo(other ?? '', logo.sha256)).mail?.html).toContain('cid:logo@pinkas');
    const without = await sendTo(third ?? '', 'ab'.repeat(32));
    expect(without.mail?.html).not.toContain('<img');
    expect(without.raw).not.toContain('image/png');
  });

  it('an email shows the figures of its document', async () => {
    const recipient = delivery.newRecipient();
    const totals = {
      subtotal: 6000,
      discount: 600,
      vat: 972,
      vat_rate: 18,
      total: 6372,
      currency: 'ILS',
    } as const;
    const invoice = await delivery.issueReady(recipient, {
      document: { totals, discount: { type: 'percent', value: 10 } },
    });
    await delivery.inState(invoice, 'sent');
    const [mail] = await delivery.mailbox.mailTo(recipient);
    for (const figure of [
      'הנחה 10%',
      '600.00',
      '5,400.00',
      'מס ערך מוסף (מע"מ) 18%',
      '972.00',
      'סכום לתשלום',
      '6,372.00',
      'לתשלום עד: 15/07/2026',
    ]) {
      expect(mail?.text).toContain(figure);
    }
    const note = delivery.newRecipient();
    const withoutPrices = await delivery.issueReady(note, {
      document: { type: 'delivery_note', due_date: null },
      business: { delivery_notes_without_prices: true },
    });
    await delivery.inState(withoutPrices, 'sent');
    expect((await delivery.mailbox.mailTo(note))[0]?.text).not.toContain('₪');
  });

  it('an email states what is left to pay when it is sent, and the total alone while issuing is away', async () => {
    delivery.state = { status: 'closed', paid: 5000, credited: 79.99 };
    const [recipient, other] = [delivery.newRecipient(), delivery.newRecipient()];
    // It may have been paid since.
    const issued_at = new Date(delivery.clock.now.getTime() - 1_000).toISOString();
    await delivery.inState(await delivery.issueReady(recipient, { document: { issued_at } }), 'sent');
    const { text } = await mailTo(recipient);
    expect(text).toMatch(/יתרה לתשלום: .*2,000\.01/);
    expect(text).not.toContain('סכום לתשלום');
    delivery.issuingUnavailable = true;
    await delivery.inState(await delivery.issueReady(other, { document: { issued_at } }), 'sent');
    expect((await mailTo(other)).text).toMatch(/סה"כ: .*7,080\.00/);
    expect((await mailTo(other)).text).not.toMatch(/(?:סכום|יתרה) לתשלום/);
  });

  it('an email of a document that was issued an instant ago asks for its total, and issuing is not asked', async () => {
    delivery.issuingUnavailable = true;
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issue(recipient, { numberRequired: false }), 'sent');
    expect((await mailTo(recipient)).text).toMatch(/סכום לתשלום: .*7,080\.00/);
  });

  it('MessageSender sends from the configured address with the business as name and reply-to', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    const row = await delivery.inState(invoice, 'sent');
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

  it('an email is from the address of the business and signed where its domain has a key, else from the platform', async () => {
    const mailOf = async (mail_from: string) => {
      const recipient = delivery.newRecipient();
      await delivery.inState(await delivery.issueReady(recipient, { business: { mail_from } }), 'sent');
      const mail = await mailTo(recipient);
      return { from: mail.from, raw: await delivery.mailbox.raw(mail.id) };
    };
    const own = await mailOf(`documents@${domain}`);
    expect(own.from).toBe(`documents@${domain}`);
    expect(own.raw).toMatch(/^Reply-To: business@example\.com\r?$/m);
    const records = { [`pinkas._domainkey.${domain}`]: dkimKey.record };
    expect(await isDkimSigned(own.raw, records)).toBe(true);
    const forged = own.raw.replace(/^Reply-To: business/m, 'Reply-To: other');
    expect(await isDkimSigned(forged, records)).toBe(false);
    const other = await mailOf('documents@other.example.com');
    expect(other.from).toBe('documents@pinkas.example.com');
    expect(other.raw).not.toMatch(/^DKIM-Signature:/m);
  });

  it("MessageSender releases the artifact in rendering before it sends the customer's email", async () => {
    await delivery.mailbox.mode('hang');
    const invoice = await delivery.issueReady(delivery.newRecipient());
    await delivery.inState(invoice, 'sending');
    expect(delivery.releasedArtifacts.filter((id) => id === invoice.id)).toHaveLength(1);
    expect(delivery.sentOf(invoice)).toEqual([]);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
  });

  it('MessageSender leaves the original to the customer when only the accountant gets a copy', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient(), {
      document: { send: false },
      business: { accountant_copy: { enabled: true, email: delivery.newRecipient() } },
    });
    await delivery.inState(invoice, 'sent');
    expect(delivery.releasedArtifacts).not.toContain(invoice.id);
  });

  it('MessageSender stores the outcome of an attempt when the database is back', async () => {
    const owner = openDatabase<object>({
      ...{ url: delivery.database.ownerUrl, poolSize: 1, applicationName: 'test' },
      logger: createLogger('test', 'silent'),
    });
    // A sequence counts what is rolled back as well.
    await sql`create sequence stored_outcomes`.execute(owner);
    await sql`create function refuse_outcomes() returns trigger language plpgsql security definer as $$
      begin
        if nextval('stored_outcomes') <= 3 then
          raise 'terminating connection due to administrator command' using errcode = '57P01';
        end if;
        return new;
      end $$`.execute(owner);
    await sql`create trigger refuse_outcomes before update on delivery for each row when (new.state = 'sent')
      execute function refuse_outcomes()`.execute(owner);
    const recipient = delivery.newRecipient();
    try {
      const row = await delivery.inState(await delivery.issueReady(recipient), 'sent');
      expect(row).toMatchObject({ attempts: 1, unknown_outcomes: 0 });
    } finally {
      await sql`drop trigger refuse_outcomes on delivery`.execute(owner);
      await owner.destroy();
    }
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('MessageSender publishes messageSent', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    const row = await delivery.inState(invoice, 'sent');
    await eventually('the event is published', () => delivery.sentOf(invoice).length > 0);
    expect(delivery.sentOf(invoice)).toEqual([
      {
        document_id: invoice.id,
        business_id: invoice.business_id,
        delivery_id: row.id,
        channel: 'email',
        purpose: 'customer',
        follow_up: false,
      },
    ]);
  });

  it('MessageSender sends to the recipient only although a name contains headers', async () => {
    const recipient = delivery.newRecipient();
    const victim = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient, {
      business: { name: `Evil\r\nBcc: ${victim}\r\nX-Evil: yes`, language: 'en', email: null },
    });
    await delivery.inState(invoice, 'sent');
    const mail = await mailTo(recipient);
    expect(mail.to).toEqual([recipient]);
    expect(await delivery.mailbox.mailTo(victim)).toEqual([]);
    expect(await delivery.mailbox.raw(mail.id)).not.toMatch(/^(Bcc|X-Evil|Reply-To):/im);
  });

  it('MessageSender fails a permanently rejected message with the reason of the provider', async () => {
    await delivery.mailbox.mode('full');
    const invoice = await delivery.issueReady(delivery.newRecipient());
    const row = await delivery.inState(invoice, 'failed');
    expect(row).toMatchObject({
      attempts: 1,
      last_error: expect.stringMatching(/^552 .*the mailbox is full/),
    });
    await eventually('the event is published', () => delivery.failedOf(invoice)[0]);
    expect(delivery.failedOf(invoice)).toMatchObject([{ delivery_id: row.id, reason: row.last_error }]);
  });

  it('MessageSender repeats a temporary failure after five seconds', async () => {
    await delivery.mailbox.mode('greylist');
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    const row = await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect(row).toMatchObject({ state: 'ready', last_error: expect.stringMatching(/^451 /) });
    expect(row.next_attempt_at.getTime() - delivery.clock.now.getTime()).toBe(5 * second);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    await mailTo(recipient);
  });

  it('MessageSender sends an email once when the mail server is back', async () => {
    const recipient = delivery.newRecipient();
    await delivery.mailbox.kill();
    const invoice = await delivery.issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    delivery.advanceClock(5 * second);
    const row = await delivery.rowWhere(invoice, 'it was tried again', ({ attempts }) => attempts === 2);
    expect(row).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    await delivery.mailbox.restart();
    delivery.advanceClock(30 * second);
    await delivery.inState(invoice, 'sent');
    await mailTo(recipient);
  });

  it('MessageSender fails a message after a day and publishes messageFailed', async () => {
    await delivery.mailbox.kill();
    const invoice = await delivery.issueReady(delivery.newRecipient());
    for (let attempts = 1; attempts < 40; attempts += 1) {
      const row = await delivery.rowWhere(invoice, `try ${attempts}`, (now) => now.attempts >= attempts);
      if (row.state === 'failed') {
        break;
      }
      delivery.advanceClock(hour);
    }
    await delivery.mailbox.restart();
    expect(await delivery.rows(invoice)).toMatchObject([{ state: 'failed' }]);
    await eventually('the event is published', () => delivery.failedOf(invoice)[0]);
    // Back to a time at which the other tests' messages are due.
    delivery.clock.now = new Date('2026-06-17T09:00:00Z');
  });

  it('MessageSender records the attempt of a process that died as unknown, and repeats it once under the same id', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    const first = await delivery.inState(invoice, 'sent');
    // What such a process leaves behind: handed over, and not stored.
    const setBack = async () => {
      const { db } = delivery.database;
      await db
        .updateTable('delivery')
        .set({ state: 'sending', sent_at: null, claimed_until: delivery.clock.now })
        .where('id', '=', first.id)
        .execute();
      await db
        .updateTable('attempt')
        .set({ outcome: null, ended_at: null })
        .where('delivery_id', '=', first.id)
        .where('outcome', '=', 'accepted')
        .execute();
    };
    await setBack();
    delivery.advanceClock(second);
    await delivery.rowWhere(invoice, 'it is to be sent again', (row) => row.unknown_outcomes === 1);
    const lost = { n: 1, outcome: 'unknown', was_unknown: true, ended_at: delivery.clock.now };
    expect(await delivery.attempts(invoice)).toMatchObject([lost]);
    delivery.advanceClock(30 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.attempts(invoice)).toMatchObject([
      lost,
      { n: 2, outcome: 'accepted', was_unknown: false },
    ]);
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails.map((mail) => mail.message_id)).toEqual([first.message_id, first.message_id]);

    await setBack();
    delivery.advanceClock(second);
    await delivery.inState(invoice, 'failed');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
  });

  it('MessageSender fetches the PDF again while rendering cannot be asked, and counts no attempt', async () => {
    delivery.pdfUnavailable = true;
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    for (let fetches = 0; fetches < 5; fetches += 1) {
      const now = delivery.clock.now.getTime();
      const row = await delivery.rowWhere(
        invoice,
        'it is fetched later',
        ({ next_attempt_at, claimed_until }) => next_attempt_at.getTime() > now && claimed_until === null,
      );
      expect(row).toMatchObject({ state: 'ready', attempts: 0, first_attempt_at: null, not_before: null });
      delivery.advanceClock(60 * second);
    }
    delivery.pdfUnavailable = false;
    await delivery.inState(invoice, 'sent');
    await mailTo(recipient);
  });

  it('MessageSender does not send a PDF that lacks its hash', async () => {
    delivery.pdfDamaged = true;
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    const row = await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect(row).toMatchObject({
      state: 'ready',
      last_error: 'The PDF does not have the hash that it was stored with.',
    });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.pdfDamaged = false;
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
  });

  it('MessageSender does not send a delayed message in quiet hours that have begun', async () => {
    await delivery.mailbox.mode('greylist');
    const recipient = delivery.newRecipient();
    delivery.clock.now = new Date('2026-06-18T18:59:58Z');
    const invoice = await delivery.issueReady(recipient, {
      business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } },
    });
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    delivery.advanceClock(5 * second);
    await delivery.rowWhere(
      invoice,
      'it waits for the morning',
      (row) => row.not_before?.toISOString() === '2026-06-19T04:00:00.000Z',
    );
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.clock.now = new Date('2026-06-19T04:00:00Z');
    await delivery.inState(invoice, 'sent');
    await mailTo(recipient);
  });

  it('MessageSender does not send in quiet hours that begin while the PDF is fetched', async () => {
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
    await delivery.inState(invoice, 'sent');
    await mailTo(recipient);
  });

  it('MessageSender does not send to an address that is suppressed while the PDF is fetched', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issueAndMeanwhile(
      () =>
        delivery.network.call(suppressAddress, {
          business_id: delivery.business.id,
          address: recipient,
          detail: null,
        }),
      recipient,
    );
    const row = await delivery.inState(invoice, 'failed');
    expect(row.last_error).toBe('The address is suppressed.');
    expect(await delivery.attempts(invoice)).toEqual([]);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('auditDeliveries returns the expiry of the claim as next attempt while a message is sent', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    const { id } = await delivery.inState(invoice, 'sent');
    const claimedUntil = new Date(delivery.clock.now.getTime() + hour);
    await delivery.database.db
      .updateTable('delivery')
      .set({ state: 'sending', sent_at: null, claimed_until: claimedUntil })
      .where('id', '=', id)
      .execute();
    const { documents } = await delivery.network.call(auditDeliveries, {
      business_id: invoice.business_id,
      document_ids: [invoice.id],
    });
    expect(documents[0]?.messages).toMatchObject([
      { state: 'sending', next_attempt_at: claimedUntil.toISOString() },
    ]);
  });
});
