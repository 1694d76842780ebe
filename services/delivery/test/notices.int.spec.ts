import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type RequestOf, sendNotice } from '@pinkas/contracts';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const link = 'https://console.example.com/sign-in/Zm9vYmFy';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery();
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('SendNotice', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const send = (recipient: string, change: Partial<RequestOf<typeof sendNotice>> = {}) =>
    delivery.network.call(sendNotice, {
      notice_id: randomUUID(),
      recipient,
      subject: 'קישור לכניסה',
      text: `לכניסה: ${link}`,
      html: `<p dir="rtl">לכניסה: <a href="${link}">${link}</a></p>`,
      ...change,
    });

  it("SendNotice sends a text and its HTML from the platform's address, without an attachment", async () => {
    const recipient = delivery.newRecipient();
    const id = randomUUID();
    expect(await send(recipient, { notice_id: id.toUpperCase() })).toEqual({
      outcome: 'accepted',
      reason: null,
    });
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(mail).toMatchObject({
      from: 'documents@pinkas.example.com',
      to: [recipient],
      subject: 'קישור לכניסה',
      message_id: `<${id}@pinkas.example.com>`,
      attachments: [],
    });
    expect(mail?.text).toContain(link);
    expect(mail?.html).toContain(`href="${link}"`);
    const raw = await delivery.mailbox.raw(mail?.id ?? '');
    const headers = raw.slice(0, raw.search(/\r?\n\r?\n/));
    expect(headers).toMatch(/^From: Pinkas <documents@pinkas\.example\.com>\r?$/m);
    expect(headers).toMatch(/^Content-Type: multipart\/alternative;/m);
    expect(headers).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
    expect(headers).not.toMatch(/^(Reply-To|Cc|Bcc|Content-Language|In-Reply-To):/im);
  });

  it('SendNotice adds no header and no recipient for a subject of several lines', async () => {
    const [recipient, other] = [delivery.newRecipient(), delivery.newRecipient()];
    await send(recipient, { subject: `Hello\r\nBcc: ${other}` });
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(mail?.subject).toBe(`Hello Bcc: ${other}`);
    expect(await delivery.mailbox.mailTo(other)).toEqual([]);
  });

  it('a repeated notice has the same Message-ID', async () => {
    const recipient = delivery.newRecipient();
    const id = randomUUID();
    await send(recipient, { notice_id: id });
    await send(recipient, { notice_id: id });
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails.map((mail) => mail.message_id)).toEqual(Array(2).fill(`<${id}@pinkas.example.com>`));
  });

  it.each([
    ['refuse', 'rejected'],
    ['temporary', 'failed'],
    ['drop_after_data', 'failed'],
  ] as const)(
    'SendNotice returns with a reason what became of a notice when the mail server does %s: %s',
    async (mode, outcome) => {
      await delivery.mailbox.mode(mode);
      expect(await send(delivery.newRecipient())).toEqual({
        outcome,
        reason: expect.stringMatching(/\S/),
      });
    },
  );

  it('SendNotice stores nothing, suppresses no one and logs neither text nor address', async () => {
    const logger = delivery.service.app.get<Logger>(kitTokens.logger);
    const logged: unknown[] = [];
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void logged.push(line));
    }
    const stored = () =>
      Promise.all(
        (['delivery', 'attempt', 'suppression', 'outbox'] as const).map(async (table) => {
          const rows = await delivery.database.db.selectFrom(table).selectAll().execute();
          // Events of the tests before may be marked as sent between the two reads.
          return rows.map((row) => ({ ...row, sent_at: null }));
        }),
      );
    const before = await stored();
    const recipient = delivery.newRecipient();
    const id = randomUUID();
    await send(recipient, { notice_id: id });
    await delivery.mailbox.mode('refuse');
    await send(recipient, { notice_id: id });
    const text = JSON.stringify(logged);
    expect(text).toContain('notice sent');
    expect(text).toContain('notice attempt failed');
    expect(text).toContain(id);
    expect(text).not.toContain(link);
    expect(text).not.toContain(recipient);
    expect(text).not.toContain('קישור');
    expect(await stored()).toEqual(before);
  });
});

describe('SendNotice while the mail server hangs', () => {
  it('SendNotice fails within its time limit', async () => {
    // The mail server may be silent for longer than a notice may take.
    const delivery = await startDelivery({ patience: 60_000 });
    await delivery.mailbox.mode('hang');
    const reply = await delivery.network.call(sendNotice, {
      notice_id: randomUUID(),
      recipient: delivery.newRecipient(),
      subject: 'Hello',
      text: 'Hello',
      html: '<p>Hello</p>',
    });
    expect(reply.outcome).toBe('failed');
    await delivery.mailbox.mode('ok');
    await delivery.stop();
  });
});
