import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import { writeCertificate } from './mailbox-certificate.js';

const second = 1_000;

/** Helpers of every file that sends one mail at a time. */
function sendingOf(delivery: () => DeliveryUnderTest) {
  const issueReady = async (
    recipient: string,
    change?: { document?: Partial<IssuedDocument>; business?: Partial<Business> },
  ) => {
    const invoice = await delivery().issue(recipient, change);
    await delivery().render(invoice);
    return invoice;
  };
  const tried = (invoice: IssuedDocument, times: number) =>
    delivery().rowWhere(invoice, `it was tried ${times} times`, ({ attempts }) => attempts === times);
  const sent = (invoice: IssuedDocument) =>
    delivery().rowWhere(invoice, 'the message is sent', ({ state }) => state === 'sent');
  return { issueReady, tried, sent };
}

describe('a mail server that fails', () => {
  let delivery: DeliveryUnderTest;
  const { issueReady, tried, sent } = sendingOf(() => delivery);
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

  it('and takes the mail in the end has taken it once, and every try is written down', async () => {
    await delivery.mailbox.mode('temporary', 2);
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    await tried(invoice, 1);
    delivery.pass(5 * second);
    await tried(invoice, 2);
    delivery.pass(30 * second);
    await sent(invoice);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    expect(await outcomes(invoice)).toEqual([
      [1, 'temporary', false],
      [2, 'temporary', false],
      [3, 'accepted', false],
    ]);
    const attempts = await delivery.attempts(invoice);
    expect(attempts[0]?.words).toBe('451 try again later');
    expect(attempts[2]?.words).toMatch(/^250 kept as /);
  });

  it('to answer after it took the mail gets it once more under the same id, and not a third time', async () => {
    await delivery.mailbox.mode('drop_after_data');
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    const first = await tried(invoice, 1);
    expect(first).toMatchObject({ state: 'ready', unknown_outcomes: 1 });
    delivery.pass(5 * second);
    expect(await tried(invoice, 2)).toMatchObject({ state: 'failed', unknown_outcomes: 2 });
    expect(await outcomes(invoice)).toEqual([
      [1, 'unknown', true],
      [2, 'unknown', true],
    ]);
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails.map((mail) => mail.message_id)).toEqual([first.message_id, first.message_id]);
  });

  it('to answer once is believed the second time', async () => {
    await delivery.mailbox.mode('drop_after_data', 1);
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    await tried(invoice, 1);
    delivery.pass(5 * second);
    await sent(invoice);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
    expect(await outcomes(invoice)).toEqual([
      [1, 'unknown', true],
      [2, 'accepted', false],
    ]);
  });

  it('between two mails on a connection that is kept costs neither of them its once', async () => {
    const recipient = delivery.newRecipient();
    await sent(await issueReady(recipient));
    await delivery.mailbox.kill();
    await delivery.mailbox.restart();
    const invoice = await issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts > 0);
    delivery.pass(5 * second);
    await sent(invoice);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
  });

  it('to know other letters is told a domain in ASCII', async () => {
    const recipient = delivery.newRecipient().replace('example.com', 'דוגמה.example');
    await sent(await issueReady(recipient));
    // The mailbox shows a domain as people write it; the mail itself is as it came.
    const [mail] = await delivery.mailbox.mailTo(recipient);
    const [to] = /^To: .*$/m.exec(await delivery.mailbox.raw(mail?.id ?? '')) ?? [];
    expect(to).toContain('@xn--6dbbec0c.example');
  });

  it('at nothing, and offers SMTPUTF8, is told letters before the @ as they are', async () => {
    const recipient = `לקוח-${delivery.newRecipient()}`;
    await sent(await issueReady(recipient));
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('to take such letters is not told them: the message fails at once, in clear words', async () => {
    await delivery.mailbox.mode('ascii_only');
    const invoice = await issueReady('לקוח@example.com');
    const row = await delivery.rowWhere(invoice, 'it failed', ({ state }) => state === 'failed');
    expect(row).toMatchObject({
      attempts: 1,
      last_error: 'The mail server takes no address with letters beyond ASCII (SMTPUTF8).',
    });
    expect(await delivery.mailbox.mailTo('לקוח@example.com')).toEqual([]);
  });

  it('at nothing gets a mail that says its language', async () => {
    const recipient = delivery.newRecipient();
    await sent(await issueReady(recipient, { business: { language: 'en' } }));
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(await delivery.mailbox.raw(mail?.id ?? '')).toMatch(/^Content-Language: en\r?$/m);
  });
});

describe('a mail server that must be encrypted to', () => {
  let delivery: DeliveryUnderTest;
  const { issueReady, tried, sent } = sendingOf(() => delivery);
  beforeAll(async () => {
    delivery = await startDelivery({
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

  it('and cuts the connection in the handshake has taken nothing: the mail waits, and goes once', async () => {
    await delivery.mailbox.mode('drop_tls', 1);
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    expect(await tried(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.pass(5 * second);
    await sent(invoice);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('with a certificate that holds takes the mail over TLS', async () => {
    const recipient = delivery.newRecipient();
    await sent(await issueReady(recipient));
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(mail?.secure).toBe(true);
  });

  it('and has become somebody else is not talked to', async () => {
    // Started again it has a certificate that nobody vouches for.
    await delivery.mailbox.kill();
    await delivery.mailbox.restart();
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    expect(await tried(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });
});

describe('a mail server that is encrypted to where it can', () => {
  it('is asked for no certificate that holds', async () => {
    const delivery = await startDelivery({ config: async () => ({ smtpTls: 'opportunistic' }) });
    try {
      const { issueReady, sent } = sendingOf(() => delivery);
      const recipient = delivery.newRecipient();
      await sent(await issueReady(recipient));
      const [mail] = await delivery.mailbox.mailTo(recipient);
      expect(mail?.secure).toBe(true);
    } finally {
      await delivery.stop();
    }
  });
});
