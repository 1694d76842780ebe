import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  auditDeliveries,
  type Business,
  type IssuedDocument,
  listMessages,
  listTestMessages,
  messageDue,
  type RequestOf,
  sendMessage,
  suppressAddress,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { eventually, exampleDue, readTrail } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const second = 1_000;
/** How a request differs from the usual one. */
type Change = Partial<RequestOf<typeof sendMessage>>;

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery();
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('SendMessage', () => {
  const send = (invoice: IssuedDocument, recipient: string, change: Change = {}) =>
    delivery.network.call(sendMessage, {
      business_id: invoice.business_id,
      document_id: invoice.id,
      delivery_id: randomUUID(),
      channel: 'email',
      recipient,
      ...change,
    });
  /** A document of which nothing was sent to its customer. */
  const issueUnsent = async (
    change: { document?: Partial<IssuedDocument>; business?: Partial<Business> } = {},
  ) => {
    const invoice = await delivery.issue(delivery.newRecipient(), {
      ...change,
      document: { send: false, ...change.document },
      due: false,
    });
    await delivery.render(invoice);
    await eventually('the PDF is recorded', () =>
      delivery.database.db
        .selectFrom('document')
        .selectAll()
        .where('document_id', '=', invoice.id)
        .where('revision', 'is not', null)
        .executeTakeFirst(),
    );
    return invoice;
  };
  const messagesOf = async (invoice: IssuedDocument) =>
    (
      await delivery.network.call(listMessages, {
        business_id: invoice.business_id,
        document_id: invoice.id,
      })
    ).messages;
  const inState = (invoice: IssuedDocument, id: string, state: string) =>
    eventually(`the message is ${state}`, async () =>
      (await messagesOf(invoice)).find(
        (message) => message.delivery_id === id.toLowerCase() && message.state === state,
      ),
    );
  const recordedAs = (error: { path: string; message: string | RegExp }) => ({
    code: 'validation_error',
    details: {
      errors: [
        {
          path: error.path,
          message: typeof error.message === 'string' ? error.message : expect.stringMatching(error.message),
        },
      ],
    },
  });

  it('SendMessage sends a document of which no message was planned, with its PDF, and releases the PDF', async () => {
    const invoice = await issueUnsent({ document: { number: 4711 } });
    const recipient = delivery.newRecipient();
    const [id, personId] = [randomUUID(), randomUUID()];
    const reply = await send(invoice, recipient, { delivery_id: id, person_id: personId });
    expect(reply).toMatchObject({
      delivery_id: id,
      channel: 'email',
      purpose: 'customer',
      state: 'ready',
      requested: true,
      follow_up: false,
      not_before: null,
    });
    await inState(invoice, id, 'sent');
    const [mail, ...more] = await delivery.mailbox.mailTo(recipient);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      from: 'documents@pinkas.example.com',
      to: [recipient],
      message_id: `<${id}@pinkas.example.com>`,
      attachments: [expect.objectContaining({ contentType: 'application/pdf' })],
    });
    expect(mail?.subject).toContain('4711');
    const raw = await delivery.mailbox.raw(mail?.id ?? '');
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
    expect(raw).toMatch(/^Content-Language: (he|en)\r?$/m);
    expect(await delivery.mailbox.attachment(mail?.id ?? '', 0)).toEqual(delivery.pdf);
    expect(delivery.releasedArtifacts).toContain(invoice.id);
    expect(delivery.sentOf(invoice)).toMatchObject([{ delivery_id: id, purpose: 'customer' }]);
    const trail = await readTrail(delivery.database, invoice.business_id);
    expect(trail.filter(({ subject }) => subject === invoice.id)).toEqual([
      {
        action: 'message.send',
        actor: `person:${personId}`,
        subject: invoice.id,
        before: null,
        after: { delivery_id: id, channel: 'email' },
      },
    ]);
  });

  it('SendMessage sends a credit note for which the operator asks for no allocation number', async () => {
    delivery.allocationOptions = { creditNotes: 'skip' };
    const creditNote = await delivery.issue(delivery.newRecipient(), {
      due: false,
      document: { send: false, type: 'credit_note' },
    });
    const id = randomUUID();
    expect(await send(creditNote, delivery.newRecipient(), { delivery_id: id })).toMatchObject({
      state: 'ready',
    });
    await inState(creditNote, id, 'sent');
  });

  it('SendMessage sends once more to the address of a planned message, without issuing', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    await delivery.inState(invoice, 'sent');
    delivery.issuingUnavailable = true;
    for (const id of [randomUUID(), randomUUID()]) {
      delivery.advanceClock(second);
      await send(invoice, recipient, { delivery_id: id });
      await inState(invoice, id, 'sent');
    }
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(new Set(mails.map((mail) => mail.message_id)).size).toBe(3);
    const { documents } = await delivery.network.call(auditDeliveries, {
      business_id: invoice.business_id,
      document_ids: [invoice.id],
    });
    expect(
      documents[0]?.messages.map(({ requested, accepted, unknown }) => [requested, accepted, unknown]),
    ).toEqual([
      [false, 1, 0],
      [true, 1, 0],
      [true, 1, 0],
    ]);
  });

  it('a repeated call with the same delivery_id returns the same message and sends nothing twice', async () => {
    const invoice = await issueUnsent();
    const recipient = delivery.newRecipient();
    const id = randomUUID();
    const replies = await Promise.all(
      [id, id.toUpperCase(), id].map((delivery_id) => send(invoice, recipient, { delivery_id })),
    );
    expect(new Set(replies.map((reply) => reply.delivery_id))).toEqual(new Set([id]));
    await inState(invoice, id, 'sent');
    // A suppression that came later changes nothing of what was sent.
    await delivery.network.call(suppressAddress, {
      business_id: invoice.business_id,
      address: recipient,
      detail: null,
    });
    expect(await send(invoice, ` ${recipient} `, { delivery_id: id })).toMatchObject({ state: 'sent' });
    expect(await messagesOf(invoice)).toHaveLength(1);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    const trail = await readTrail(delivery.database, invoice.business_id);
    expect(trail.filter(({ subject }) => subject === invoice.id)).toHaveLength(1);
  });

  it('SendMessage rejects the delivery_id of another message', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    const planned = await delivery.inState(invoice, 'sent');
    const taken = recordedAs({ path: '/delivery_id', message: 'is the id of another message' });
    await expect(send(invoice, planned.recipient, { delivery_id: planned.id })).rejects.toMatchObject(taken);
    const id = randomUUID();
    await send(invoice, delivery.newRecipient(), { delivery_id: id });
    await expect(send(invoice, delivery.newRecipient(), { delivery_id: id })).rejects.toMatchObject(taken);
    expect(await messagesOf(invoice)).toHaveLength(2);
  });

  it.each([
    ['email', 'no address'],
    ['email', '0501234567'],
    ['email', 'two@example.com, three@example.com'],
    ['email', 'a@example.com\r\nBcc: b@example.com'],
    ['whatsapp', 'customer@example.com'],
    ['whatsapp', '12'],
  ] as const)('SendMessage by %s rejects the recipient %j and stores nothing', async (channel, recipient) => {
    const invoice = await issueUnsent();
    await expect(send(invoice, recipient, { channel })).rejects.toMatchObject(
      recordedAs({ path: '/recipient', message: /^is no m/ }),
    );
    expect(await messagesOf(invoice)).toEqual([]);
  });

  it('SendMessage rejects a suppressed address, in any letter case, and says so', async () => {
    const invoice = await issueUnsent();
    const recipient = delivery.newRecipient();
    await delivery.network.call(suppressAddress, {
      business_id: invoice.business_id,
      address: recipient,
      detail: null,
    });
    await expect(send(invoice, recipient.toUpperCase())).rejects.toMatchObject(
      recordedAs({ path: '/recipient', message: /^is suppressed: / }),
    );
    expect(await messagesOf(invoice)).toEqual([]);
  });

  it('SendMessage rejects WhatsApp where there is no account', async () => {
    const invoice = await issueUnsent();
    await expect(send(invoice, delivery.newPhone(), { channel: 'whatsapp' })).rejects.toMatchObject(
      recordedAs({ path: '/channel', message: 'WhatsApp is not set up.' }),
    );
  });

  it('SendMessage returns not_found for a document of another business and one that issuing does not know, and stores nothing while issuing does not answer', async () => {
    const invoice = await issueUnsent();
    const recipient = delivery.newRecipient();
    for (const change of [{ document_id: randomUUID() }, { business_id: randomUUID() }]) {
      await expect(send(invoice, recipient, change)).rejects.toMatchObject({ code: 'not_found' });
    }
    delivery.issuingUnavailable = true;
    await expect(send(invoice, recipient)).rejects.toMatchObject({ code: 'engine_error' });
    expect(await messagesOf(invoice)).toEqual([]);
  });

  it('a requested message never leaves in quiet hours', async () => {
    const invoice = await issueUnsent({
      business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '11:00-14:00' } },
    });
    const recipient = delivery.newRecipient();
    const id = randomUUID();
    const end = new Date(`${delivery.clock.now.toISOString().slice(0, 10)}T11:00:00.000Z`);
    expect(await send(invoice, recipient, { delivery_id: id })).toMatchObject({
      state: 'ready',
      next_attempt_at: end.toISOString(),
      not_before: end.toISOString(),
    });
    delivery.advanceClock(end.getTime() - delivery.clock.now.getTime() - second);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.advanceClock(second);
    await inState(invoice, id, 'sent');
  });

  it('a requested message waits for the final PDF', async () => {
    const invoice = await delivery.issue(delivery.newRecipient(), { document: { send: false }, due: false });
    const id = randomUUID();
    expect(await send(invoice, delivery.newRecipient(), { delivery_id: id })).toMatchObject({
      state: 'waiting',
    });
    await delivery.render(invoice);
    await inState(invoice, id, 'sent');
  });

  it('the planned message is made although a person sends one before its event comes, and is made once', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient, { due: false });
    const id = randomUUID();
    await send(invoice, delivery.newRecipient(), { delivery_id: id });
    for (const event of [exampleDue(invoice, delivery.business), exampleDue(invoice, delivery.business)]) {
      await delivery.network.publish(messageDue, invoice.id, event);
    }
    await delivery.render(invoice);
    await eventually('both messages are sent', async () => {
      const messages = await messagesOf(invoice);
      return messages.length === 2 && messages.every(({ state }) => state === 'sent');
    });
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('a requested message is held for the allocation number, and leaves with it', async () => {
    const invoice = await delivery.issue(delivery.newRecipient(), { document: { send: false }, due: false });
    await delivery.render(invoice, { allocation_pending: true });
    await eventually('the PDF is recorded', () =>
      delivery.database.db
        .selectFrom('document')
        .selectAll()
        .where('document_id', '=', invoice.id)
        .where('revision', 'is not', null)
        .executeTakeFirst(),
    );
    const recipient = delivery.newRecipient();
    const id = randomUUID();
    const held = await send(invoice, recipient, { delivery_id: id });
    expect(held).toMatchObject({ state: 'ready', held_until: expect.any(String) });
    await delivery.render(invoice, { revision: 2, allocation_number: '123456789' });
    const sent = await inState(invoice, id, 'sent');
    expect(sent.attempts).toMatchObject([{ allocation_number: '123456789' }]);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('a recipient of several messages without the number gets one follow-up with it', async () => {
    const [recipient, other] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await delivery.issue(recipient, { business: { allocation_hold_minutes: 0 } });
    await delivery.planned(invoice);
    await delivery.render(invoice, { allocation_pending: true });
    await delivery.inState(invoice, 'sent');
    for (const address of [recipient, other]) {
      const id = randomUUID();
      await send(invoice, address, { delivery_id: id });
      await inState(invoice, id, 'sent');
    }
    await delivery.render(invoice, { revision: 2, allocation_number: '123456789' });
    const followUps = await eventually('the follow-ups are sent', async () => {
      const found = (await messagesOf(invoice)).filter((message) => message.follow_up);
      return found.length === 2 && found.every(({ state }) => state === 'sent') && found;
    });
    expect(new Map(followUps.map((message) => [message.recipient, message.requested]))).toEqual(
      new Map([
        [recipient, false],
        [other, true],
      ]),
    );
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(3);
    expect(await delivery.mailbox.mailTo(other)).toHaveLength(2);
  });

  it('a requested message of a cancelled document is withdrawn, one that waits as well', async () => {
    const invoice = await delivery.issue(delivery.newRecipient(), { document: { send: false }, due: false });
    const [waiting, late] = [randomUUID(), randomUUID()];
    await send(invoice, delivery.newRecipient(), { delivery_id: waiting });
    await delivery.cancel(invoice);
    await inState(invoice, waiting, 'withdrawn');
    expect(await send(invoice, delivery.newRecipient(), { delivery_id: late })).toMatchObject({
      state: 'withdrawn',
      reason: 'The document was cancelled.',
    });
  });

  it('a requested message of a test book is kept and not sent', async () => {
    const businessId = testBookOf(randomUUID());
    const invoice = await issueUnsent({
      document: { business_id: businessId },
      business: { id: businessId },
    });
    const [id, byPhone] = [randomUUID(), randomUUID()];
    const phone = delivery.newPhone();
    await send(invoice, delivery.newRecipient(), { delivery_id: id });
    await send(invoice, phone, { delivery_id: byPhone, channel: 'whatsapp' });
    await inState(invoice, id, 'sent');
    await inState(invoice, byPhone, 'sent');
    const { messages } = await delivery.network.call(listTestMessages, { business_id: businessId });
    expect(new Map(messages.map((message) => [message.delivery_id, message.channel]))).toEqual(
      new Map([
        [id, 'email'],
        [byPhone, 'whatsapp'],
      ]),
    );
  });
});
