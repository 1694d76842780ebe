import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedDocument } from '@pinkas/contracts';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import { writeCertificate } from './mailbox-certificate.js';

const second = 1_000;
/** On a busy machine the first handshake of a process takes longer than the other tests let a server be silent. */
const handshakeMs = 10_000;

describe('Mailer with a failing server', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());
  afterEach(() => delivery.mailbox.mode('ok'));

  const outcomes = async (invoice: IssuedDocument) =>
    (await delivery.attempts(invoice)).map(({ n, outcome, was_unknown: wasUnknown }) => [
      n,
      outcome,
      wasUnknown,
    ]);

  it('MessageSender records every attempt and sends an email once when the server finally accepts it', async () => {
    await delivery.mailbox.mode('temporary', 2);
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    await delivery.attempted(invoice, 2);
    delivery.advanceClock(30 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    expect(await outcomes(invoice)).toEqual([
      [1, 'temporary', false],
      [2, 'temporary', false],
      [3, 'accepted', false],
    ]);
    const attempts = await delivery.attempts(invoice);
    expect(attempts[0]?.provider_response).toBe('451 try again later');
    expect(attempts[2]?.provider_response).toMatch(/^250 stored as /);
  });

  it('MessageSender sends an email of unknown outcome once more under the same id and never a third time', async () => {
    await delivery.mailbox.mode('drop_after_data');
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    const first = await delivery.attempted(invoice, 1);
    expect(first).toMatchObject({ state: 'ready', unknown_outcomes: 1 });
    delivery.advanceClock(5 * second);
    expect(await delivery.attempted(invoice, 2)).toMatchObject({ state: 'failed', unknown_outcomes: 2 });
    expect(await outcomes(invoice)).toEqual([
      [1, 'unknown', true],
      [2, 'unknown', true],
    ]);
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails.map((mail) => mail.message_id)).toEqual([first.message_id, first.message_id]);
  });

  it('MessageSender accepts the second response after one was lost', async () => {
    await delivery.mailbox.mode('drop_after_data', 1);
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
    expect(await outcomes(invoice)).toEqual([
      [1, 'unknown', true],
      [2, 'accepted', false],
    ]);
  });

  it('MessageSender sends each email once when a pooled connection breaks between two', async () => {
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    await delivery.mailbox.kill();
    await delivery.mailbox.restart();
    const invoice = await delivery.issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts > 0);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
  });

  it('Mailer sends a domain in ASCII to a server without SMTPUTF8', async () => {
    const recipient = delivery.newRecipient().replace('example.com', 'דוגמה.example');
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    // The mailbox shows a domain as people write it; the mail itself is as it came.
    const [mail] = await delivery.mailbox.mailTo(recipient);
    const [to] = /^To: .*$/m.exec(await delivery.mailbox.raw(mail?.id ?? '')) ?? [];
    expect(to).toContain('@xn--6dbbec0c.example');
  });

  it('Mailer sends a non-ASCII local part to a server with SMTPUTF8', async () => {
    const recipient = `לקוח-${delivery.newRecipient()}`;
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('MessageSender fails a non-ASCII address at once when the server lacks SMTPUTF8', async () => {
    await delivery.mailbox.mode('ascii_only');
    const invoice = await delivery.issueReady('לקוח@example.com');
    const row = await delivery.inState(invoice, 'failed');
    expect(row).toMatchObject({
      attempts: 1,
      last_error: 'The mail server takes no address with letters beyond ASCII (SMTPUTF8).',
    });
    expect(await delivery.mailbox.mailTo('לקוח@example.com')).toEqual([]);
  });

  it('Mailer sets the Content-Language header', async () => {
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issueReady(recipient, { business: { language: 'en' } }), 'sent');
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(await delivery.mailbox.raw(mail?.id ?? '')).toMatch(/^Content-Language: en\r?$/m);
  });
});

describe('Mailer with required TLS', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery({
      patience: handshakeMs,
      config: async (mailbox, folder) => {
        const smtpCaFile = join(folder, 'mail-ca.pem');
        await writeCertificate(mailbox.smtpUrl, smtpCaFile);
        const smtpUrl = mailbox.smtpUrl.replace('127.0.0.1', 'localhost');
        return { smtpTls: 'required', smtpCaFile, smtpUrl };
      },
    });
  });
  afterAll(() => delivery.stop());
  afterEach(() => delivery.mailbox.mode('ok'));

  it('MessageSender sends an email once after a connection was cut in the TLS handshake', async () => {
    await delivery.mailbox.mode('drop_tls', 1);
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    expect(await delivery.attempted(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('Mailer sends over TLS to a server with a trusted certificate', async () => {
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(mail?.secure).toBe(true);
  });

  it('Mailer sends nothing to a server with an untrusted certificate', async () => {
    // Started again it has a certificate that nobody vouches for.
    await delivery.mailbox.kill();
    await delivery.mailbox.restart();
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    expect(await delivery.attempted(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });
});

describe('Mailer with opportunistic TLS', () => {
  it('Mailer accepts an untrusted certificate with opportunistic TLS', async () => {
    const delivery = await startDelivery({
      patience: handshakeMs,
      config: async () => ({ smtpTls: 'opportunistic' }),
    });
    try {
      const recipient = delivery.newRecipient();
      await delivery.inState(await delivery.issueReady(recipient), 'sent');
      const [mail] = await delivery.mailbox.mailTo(recipient);
      expect(mail?.secure).toBe(true);
    } finally {
      await delivery.stop();
    }
  });
});
