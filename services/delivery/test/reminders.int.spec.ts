import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type IssuedDocument,
  listDeliveryStates,
  listMessages,
  listUndelivered,
  messageEventDue,
  proposeReminder,
  type RequestOf,
  resendDelivery,
  sendReminder,
  sendStatement,
  suppressAddress,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sendConcurrencyMax } from '../src/mail/mailer.js';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const hourMs = 60 * 60 * 1000;

describe('reminders', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());
  beforeEach(() => delivery.reset());

  /** Documents of one customer, of which nothing was sent. */
  async function open(
    balances: readonly number[],
  ): Promise<{ documents: IssuedDocument[]; customer: string }> {
    const customer = { name: 'לקוח לדוגמה', id: randomUUID() };
    const documents: IssuedDocument[] = [];
    for (const [index, balance] of balances.entries()) {
      const document = await delivery.issue(delivery.newRecipient(), {
        due: false,
        document: {
          number: index + 1,
          due_date: '2026-05-01',
          // Below the threshold of allocation numbers, so that the first PDF is final.
          totals: { subtotal: 500, discount: 0, vat: 90, vat_rate: 18, total: 590, currency: 'ILS' },
        },
      });
      Object.assign(document.customer, customer);
      delivery.debts.set(document.id, balance);
      documents.push(document);
    }
    return { documents, customer: customer.id };
  }

  async function remind(
    documents: readonly IssuedDocument[],
    change: Partial<RequestOf<typeof sendReminder>> = {},
  ) {
    const [first] = documents;
    return delivery.network.call(sendReminder, {
      business: delivery.business,
      customer_id: first?.customer.id ?? '',
      document_ids: documents.map(({ id }) => id),
      reminder_id: randomUUID(),
      recipient: delivery.newRecipient(),
      subject: 'תזכורת',
      text: 'שלום,\n\nנא לשלם.',
      ...change,
    });
  }

  const refusedAt = (path: string) =>
    expect.objectContaining({
      code: 'validation_error',
      details: { errors: [expect.objectContaining({ path })] },
    });
  const messagesOf = async ({ id }: IssuedDocument) =>
    (await delivery.network.call(listMessages, { business_id: delivery.business.id, document_id: id }))
      .messages;

  it('ProposeReminder has a text, the address of the latest document and what is left to pay', async () => {
    const { documents, customer } = await open([118, 59.5]);
    const proposed = await delivery.network.call(proposeReminder, {
      business: delivery.business,
      customer_id: customer,
    });
    expect(proposed).toMatchObject({
      debts: [
        { document: { id: documents[0]?.id }, balance: 118, days_late: 45, allowed_at: null },
        { document: { id: documents[1]?.id }, balance: 59.5, allowed_at: null },
      ],
      recipient: documents[0]?.customer.email,
      subject: `תזכורת לתשלום מאת ${delivery.business.name}`,
      text: expect.stringContaining('שלום לקוח לדוגמה,'),
      allowed_at: null,
      quiet_until: null,
    });
    const english = { ...delivery.business, language: 'en' } as const;
    const inEnglish = await delivery.network.call(proposeReminder, {
      business: english,
      customer_id: customer,
    });
    expect(inEnglish.text).toContain('still to be paid');
    await expect(
      delivery.network.call(proposeReminder, { business: delivery.business, customer_id: randomUUID() }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('SendReminder sends the text with what is left to pay, attaches nothing and releases no original', async () => {
    const { documents } = await open([118, 59.5]);
    const recipient = delivery.newRecipient();
    const person_id = randomUUID();
    expect(await remind(documents, { recipient, person_id })).toMatchObject({
      state: 'ready',
      requested: true,
      reminder: true,
      not_before: null,
    });
    const [mail] = await eventually('the reminder arrives', async () => {
      const mails = await delivery.mailbox.mailTo(recipient);
      return mails.length > 0 && mails;
    });
    expect(mail).toMatchObject({ subject: 'תזכורת', attachments: [] });
    expect(mail?.text).toContain('נא לשלם.');
    expect(mail?.text).toMatch(/חשבונית מס 1.*118\.00/);
    expect(mail?.text).toMatch(/חשבונית מס 2.*59\.50/);
    expect(mail?.text).toMatch(/סך הכול לתשלום: .*177\.50/);
    expect(mail?.text).toContain(`https://pinkas.example.com/d/${documents[0]?.public_id}`);
    expect(mail?.html).toContain('<p style="margin:0 0 12px');
    const [first] = documents as [IssuedDocument];
    expect(delivery.releasedArtifacts).not.toContain(first.id);
    const { rows } = await delivery.database.db
      .selectFrom('audit_entry' as never)
      .selectAll()
      .where('subject' as never, '=', first.id as never)
      .execute()
      .then((found) => ({ rows: found as { action: string; actor: string }[] }));
    expect(rows).toMatchObject([{ action: 'reminder.send', actor: `person:${person_id}` }]);
    await eventually('the message is sent', async () => (await messagesOf(first))[0]?.state === 'sent');
  });

  it('a statement is sent once, with its file and its balance, and limits no reminder', async () => {
    const { documents, customer } = await open([118]);
    const [document] = documents as [IssuedDocument];
    const [recipient, person_id, statement_id] = [delivery.newRecipient(), randomUUID(), randomUUID()];
    const pdf = Buffer.from('%PDF-1.7 a statement');
    const send = (change: Partial<RequestOf<typeof sendStatement>> = {}) =>
      delivery.network.call(sendStatement, {
        business: delivery.business,
        customer_id: customer,
        document_id: document.id,
        ...{ statement_id, recipient, person_id, as_of: '2026-06-15', closing: 118 },
        ...{ subject: 'כרטסת', text: 'שלום,\n\nמצורפת הכרטסת.', pdf: pdf.toString('base64') },
        ...change,
      });
    expect(await send()).toMatchObject({ requested: true, reminder: true, statement: true });
    await send();
    const [mail] = await eventually('the statement arrives', async () => {
      const mails = await delivery.mailbox.mailTo(recipient);
      return mails.length > 0 && mails;
    });
    expect(mail?.subject).toBe('כרטסת');
    expect(mail?.attachments).toHaveLength(1);
    expect(mail?.text).toContain('מצורפת הכרטסת.');
    expect(mail?.text).toMatch(/יתרה ליום .*15\/06\/2026.*: .*118\.00/);
    expect(mail?.text).not.toContain('/d/');
    await eventually('the message is sent', async () => (await messagesOf(document))[0]?.state === 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    expect(delivery.releasedArtifacts).not.toContain(document.id);
    expect(await remind(documents)).toMatchObject({ reminder: true });
    await expect(send({ customer_id: randomUUID() })).rejects.toEqual(refusedAt('/statement_id'));
    await expect(send({ statement_id: randomUUID(), recipient: 'x' })).rejects.toEqual(
      refusedAt('/recipient'),
    );
    await expect(send({ statement_id: randomUUID(), pdf: 'AAAA' })).rejects.toEqual(refusedAt('/pdf'));
  });

  it('a reminder asks for what is left after the money on account, and for nothing where that is all of it', async () => {
    const { documents } = await open([118, 59.5]);
    const recipient = delivery.newRecipient();
    delivery.onAccount = 100;
    await remind(documents, { recipient });
    const [mail] = await eventually('the reminder arrives', async () => {
      const mails = await delivery.mailbox.mailTo(recipient);
      return mails.length > 0 && mails;
    });
    expect(mail?.text).toMatch(/זכות בחשבון שלך: .*100\.00/);
    expect(mail?.text).toMatch(/סך הכול לתשלום: .*77\.50/);
    const covered = (await open([60])).documents;
    await remind(covered);
    await eventually('the reminder is withdrawn', async () => {
      const [message] = await messagesOf(covered[0] as IssuedDocument);
      return message?.state === 'withdrawn';
    });
  });

  it('a reminder of what is paid while it waits for a connection to the mail server is withdrawn', async () => {
    const { documents } = await open([100]);
    const recipient = delivery.newRecipient();
    await delivery.mailbox.mode('hang');
    const others = await Promise.all(
      Array.from({ length: sendConcurrencyMax }, () => delivery.issueReady(delivery.newRecipient())),
    );
    await eventually('every connection is in use', async () => {
      const rows = await Promise.all(others.map((document) => delivery.rows(document)));
      return rows.flat().filter(({ state }) => state === 'sending').length === sendConcurrencyMax;
    });
    await remind(documents, { recipient });
    await eventually('the reminder is about to leave', () => delivery.shown.includes(documents[0]?.id ?? ''));
    delivery.debts.set(documents[0]?.id ?? '', 0);
    await delivery.mailbox.mode('ok');
    await eventually('the reminder has ended', async () => {
      const [message] = await messagesOf(documents[0] as IssuedDocument);
      return message?.state === 'withdrawn' || message?.state === 'sent';
    });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('one of many requests at once on two instances reminds a customer', async () => {
    await delivery.startAnother();
    const { documents } = await open([100, 200, 300]);
    const recipient = delivery.newRecipient();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        remind(index % 2 === 0 ? documents : documents.slice(index % 3), { recipient }),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason)).toEqual(refused.map(() => refusedAt('/customer_id')));
    expect(outcomes.length - refused.length).toBe(1);
    await eventually(
      'the reminder arrives',
      async () => (await delivery.mailbox.mailTo(recipient)).length > 0,
    );
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('one of two requests for a document on two accounts reminds of it', async () => {
    const { documents } = await open([100]);
    const [document] = documents as [IssuedDocument];
    // The account may have been corrected between the two.
    const other = { ...document, customer: { ...document.customer, id: randomUUID() } };
    await remind([document]);
    await eventually('it has left', async () => (await messagesOf(document))[0]?.state === 'sent');
    document.customer.id = other.customer.id;
    await expect(remind([other])).rejects.toEqual(refusedAt('/customer_id'));
  });

  it('a customer is reminded again three days after the reminder has left, and not a minute before', async () => {
    const { documents, customer } = await open([100]);
    const [document] = documents as [IssuedDocument];
    const quiet = { ...delivery.business.auto_send, quiet_hours: '11:00-14:00' };
    await remind(documents, { business: { ...delivery.business, auto_send: quiet } });
    const proposed = () =>
      delivery.network.call(proposeReminder, { business: delivery.business, customer_id: customer });
    const waits = await proposed();
    expect(waits.allowed_at).toBe(new Date(delivery.clock.now.getTime() + 72 * hourMs).toISOString());
    delivery.advanceClock(2 * hourMs);
    await eventually('it has left', async () => (await messagesOf(document))[0]?.state === 'sent');
    const allowed = new Date(delivery.clock.now.getTime() + 72 * hourMs);
    delivery.clock.now = new Date(allowed.getTime() - 60_000);
    await expect(remind(documents)).rejects.toEqual(refusedAt('/customer_id'));
    const { allowed_at, debts } = await proposed();
    expect(Math.abs(Date.parse(allowed_at ?? '') - allowed.getTime())).toBeLessThan(60_000);
    expect(debts[0]?.allowed_at).not.toBeNull();
    delivery.clock.now = new Date(allowed.getTime() + 60_000);
    expect(await remind(documents)).toMatchObject({ state: 'ready' });
  });

  it('a reminder that has not left after three days is the only one', async () => {
    const { documents } = await open([100]);
    const quiet = { ...delivery.business.auto_send, quiet_hours: '11:00-14:00' };
    await remind(documents, { business: { ...delivery.business, auto_send: quiet } });
    delivery.pdfUnavailable = true;
    delivery.clock.now = new Date(delivery.clock.now.getTime() + 80 * hourMs);
    await expect(remind(documents)).rejects.toEqual(refusedAt('/customer_id'));
  });

  it('a reminder that has failed is an event of its own and no message of its document, and another address may be used at once', async () => {
    const events = delivery.network.collect(messageEventDue);
    const { documents } = await open([100, 200]);
    const [document] = documents as [IssuedDocument];
    const business = { ...delivery.business, events: true };
    await delivery.mailbox.mode('full');
    await remind(documents, { business });
    await eventually('it has failed', async () => (await messagesOf(document))[0]?.state === 'failed');
    const ofDocument = { business_id: delivery.business.id, document_id: document.id };
    expect(
      await delivery.network.call(listDeliveryStates, {
        business_id: delivery.business.id,
        document_ids: [document.id],
      }),
    ).toEqual({ documents: [] });
    expect(await delivery.network.call(listUndelivered, { business_id: delivery.business.id })).toEqual({
      document_ids: [],
    });
    await delivery.mailbox.mode('ok');
    expect(await delivery.network.call(resendDelivery, ofDocument)).toMatchObject({
      resent: 0,
      suppressed: 0,
    });
    const recipient = delivery.newRecipient();
    await remind(documents, { business, recipient });
    await eventually(
      'the second arrives',
      async () => (await delivery.mailbox.mailTo(recipient)).length === 1,
    );
    const own = await eventually('two events', () => {
      const found = events.filter(({ document_id }) => document_id === document.id);
      return found.length >= 2 && found;
    });
    expect(own.map(({ type }) => type)).toEqual(['reminder.failed', 'reminder.sent']);
    await expect(remind(documents)).rejects.toEqual(refusedAt('/customer_id'));
  });

  it('a reminder that may have been accepted counts, although its outcome is unknown', async () => {
    const { documents } = await open([100]);
    const [document] = documents as [IssuedDocument];
    await delivery.mailbox.mode('drop_after_data');
    await remind(documents);
    await eventually('it is repeated', async () => {
      const [message] = await messagesOf(document);
      return message?.state === 'ready' && message.reason !== null;
    });
    delivery.advanceClock(24 * hourMs);
    await eventually('it has failed', async () => (await messagesOf(document))[0]?.state === 'failed');
    await delivery.mailbox.mode('ok');
    await expect(remind(documents)).rejects.toEqual(refusedAt('/customer_id'));
    delivery.clock.now = new Date(delivery.clock.now.getTime() + 73 * hourMs);
    expect(await remind(documents)).toMatchObject({ state: 'ready' });
  });

  it('a reminder of several documents leaves where the first of them is cancelled while it waits, about the others', async () => {
    const { documents } = await open([100, 200]);
    const [first] = documents as [IssuedDocument];
    const recipient = delivery.newRecipient();
    const quiet = { ...delivery.business.auto_send, quiet_hours: '11:00-14:00' };
    await remind(documents, { recipient, business: { ...delivery.business, auto_send: quiet } });
    await delivery.cancel(first);
    delivery.debts.set(first.id, 0);
    delivery.pdfCancelled = true;
    delivery.advanceClock(2 * hourMs + 60_000);
    const [mail] = await eventually('the reminder arrives', async () => {
      const mails = await delivery.mailbox.mailTo(recipient);
      return mails.length > 0 && mails;
    });
    expect(mail?.text).toMatch(/חשבונית מס 2.*200\.00/);
    expect(mail?.text).not.toContain('חשבונית מס 1,');
  });

  it('a repeated request with one id is one reminder', async () => {
    const { documents } = await open([100]);
    const request = { reminder_id: randomUUID(), recipient: delivery.newRecipient() };
    const [one, other] = await Promise.all([remind(documents, request), remind(documents, request)]);
    expect(other.delivery_id).toBe(one.delivery_id);
    expect((await remind(documents, request)).delivery_id).toBe(request.reminder_id);
    expect(await messagesOf(documents[0] as IssuedDocument)).toHaveLength(1);
    const stranger = (await open([1])).documents;
    await expect(remind(stranger, request)).rejects.toEqual(refusedAt('/reminder_id'));
  });

  it('a reminder waits for the end of the quiet hours that the business has now', async () => {
    const { documents } = await open([100]);
    const recipient = delivery.newRecipient();
    const business = {
      ...delivery.business,
      auto_send: { ...delivery.business.auto_send, quiet_hours: '11:00-14:00' },
    };
    const message = await remind(documents, { business, recipient });
    expect(message).toMatchObject({ state: 'ready', not_before: '2026-06-15T11:00:00.000Z' });
    delivery.advanceClock(hourMs);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.advanceClock(hourMs + 60_000);
    await eventually(
      'the reminder arrives',
      async () => (await delivery.mailbox.mailTo(recipient)).length === 1,
    );
  });

  it('a reminder of which everything is paid by then is withdrawn, and one of which a part is paid names the rest', async () => {
    const quiet = { ...delivery.business.auto_send, quiet_hours: '11:00-14:00' };
    const business = { ...delivery.business, auto_send: quiet };
    const paid = (await open([100])).documents;
    const partly = (await open([100, 200])).documents;
    const recipient = delivery.newRecipient();
    await remind(paid, { business });
    await remind(partly, { business, recipient });
    delivery.debts.set(paid[0]?.id ?? '', 0);
    delivery.debts.set(partly[0]?.id ?? '', 0);
    delivery.debts.set(partly[1]?.id ?? '', 50);
    delivery.advanceClock(2 * hourMs + 60_000);
    await eventually('the first is withdrawn', async () => {
      const [message] = await messagesOf(paid[0] as IssuedDocument);
      return message?.state === 'withdrawn' && message.reason === 'Nothing is left to pay.';
    });
    delivery.debts.set(paid[0]?.id ?? '', 100);
    expect(await remind(paid, { business })).toMatchObject({ state: 'ready' });
    const [mail] = await eventually('the second arrives', async () => {
      const mails = await delivery.mailbox.mailTo(recipient);
      return mails.length > 0 && mails;
    });
    expect(mail?.text).not.toContain('חשבונית מס 1,');
    expect(mail?.text).toMatch(/חשבונית מס 2.*50\.00/);
  });

  it('a reminder is not sent while issuing does not answer', async () => {
    const { documents } = await open([100]);
    const recipient = delivery.newRecipient();
    const quiet = { ...delivery.business.auto_send, quiet_hours: '11:00-14:00' };
    await remind(documents, { recipient, business: { ...delivery.business, auto_send: quiet } });
    delivery.issuingUnavailable = true;
    delivery.advanceClock(2 * hourMs + 60_000);
    await eventually('it is postponed', async () => {
      const [message] = await messagesOf(documents[0] as IssuedDocument);
      return (
        message?.state === 'ready' &&
        Date.parse(message.next_attempt_at ?? '') > Date.parse('2026-06-15T11:01:00Z')
      );
    });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.issuingUnavailable = false;
    delivery.advanceClock(60_000);
    await eventually(
      'the reminder arrives',
      async () => (await delivery.mailbox.mailTo(recipient)).length === 1,
    );
  });

  it('SendReminder refuses an address that is none or is suppressed, and a document of which nothing is left to pay', async () => {
    const { documents } = await open([100, 50]);
    await expect(remind(documents, { recipient: '0501234567' })).rejects.toEqual(refusedAt('/recipient'));
    const recipient = delivery.newRecipient();
    await delivery.network.call(suppressAddress, {
      business_id: delivery.business.id,
      address: recipient,
      detail: null,
    });
    await expect(remind(documents, { recipient })).rejects.toEqual(refusedAt('/recipient'));
    delivery.debts.set(documents[1]?.id ?? '', 0);
    await expect(remind(documents)).rejects.toEqual(refusedAt('/document_ids'));
    // A refusal counts as no reminder.
    expect(await remind(documents.slice(0, 1))).toMatchObject({ state: 'ready' });
  });
});
