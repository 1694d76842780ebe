import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type IssuedDocument, listMessages, suppressAddress } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const second = 1_000;

describe('ListMessages', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());
  afterEach(() => delivery.mailbox.mode('ok'));

  const list = (invoice: IssuedDocument, businessId = invoice.business_id) =>
    delivery.network.call(listMessages, { business_id: businessId, document_id: invoice.id });

  it('ListMessages returns a message with every attempt and what the provider answered', async () => {
    const recipient = delivery.newRecipient();
    await delivery.mailbox.mode('temporary', 1);
    const invoice = await delivery.issueReady(recipient);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    const row = await delivery.inState(invoice, 'sent');
    const [first, last] = await delivery.attempts(invoice);
    expect(first?.outcome).toBe('temporary');
    expect(await list(invoice)).toEqual({
      planned: 'queued',
      messages: [
        {
          delivery_id: row.id,
          channel: 'email',
          purpose: 'customer',
          state: 'sent',
          next_attempt_at: null,
          not_before: null,
          held_until: null,
          follow_up: false,
          requested: false,
          ended_at: row.sent_at?.toISOString(),
          reason: null,
          recipient,
          suppressed: false,
          created_at: row.created_at.toISOString(),
          attempts: [first, last].map((attempt, index) => ({
            n: index + 1,
            started_at: attempt?.started_at.toISOString(),
            ended_at: attempt?.ended_at?.toISOString(),
            outcome: ['temporary', 'accepted'][index],
            response: attempt?.provider_response,
            allocation_number: null,
          })),
        },
      ],
    });
    expect(first?.provider_response).toMatch(/^4\d\d/);
  });

  it('ListMessages says of each message whether its address is suppressed now', async () => {
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await delivery.issueReady(recipient, {
      business: { accountant_copy: { enabled: true, email: accountant } },
    });
    await eventually('the messages are sent', () => delivery.sentOf(invoice).length === 2);
    await delivery.network.call(suppressAddress, {
      business_id: invoice.business_id,
      address: recipient.toUpperCase(),
      detail: null,
    });
    const { messages } = await list(invoice);
    expect(new Map(messages.map((message) => [message.recipient, message.suppressed]))).toEqual(
      new Map([
        [recipient, true],
        [accountant, false],
      ]),
    );
  });

  it('ListMessages says why a document has no message', async () => {
    const invoice = await delivery.issue(delivery.newRecipient(), { document: { send: false } });
    await delivery.planned(invoice);
    expect(await list(invoice)).toEqual({ messages: [], planned: 'suppressed' });
  });

  it('ListMessages returns nothing of a document of another business and of an unplanned one', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    await delivery.inState(invoice, 'sent');
    const nothing = { messages: [], planned: null };
    expect(await list(invoice, randomUUID())).toEqual(nothing);
    expect(await list({ ...invoice, id: randomUUID() })).toEqual(nothing);
  });
});
