import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type IssuedDocument, messageDue } from '@pinkas/contracts';
import { eventually, exampleDocument, exampleDue } from '@pinkas/testkit';
import { type DeliveryUnderTest, quietHours, startDelivery } from './delivery.js';

const second = 1_000;
const hour = 3_600 * second;

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery();
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('WithdrawDelivery', () => {
  const issueWaiting = async (
    recipient: string,
    change: Parameters<DeliveryUnderTest['issue']>[1] = {},
  ): Promise<IssuedDocument> => {
    const quote = await delivery.issue(recipient, {
      ...change,
      document: { type: 'quote', ...change.document },
    });
    await delivery.planned(quote);
    return quote;
  };
  const withdrawn = (document: IssuedDocument) => delivery.inState(document, 'withdrawn');
  /** Lets everything that is due leave: a message that is due later than all others, and is sent. */
  const othersAreSent = async () => {
    delivery.advanceClock(48 * hour);
    const marker = await issueWaiting(delivery.newRecipient());
    await delivery.render(marker);
    await delivery.inState(marker, 'sent');
  };

  it('WithdrawDelivery withdraws a message that waits for the PDF, with the reason', async () => {
    const recipient = delivery.newRecipient();
    const quote = await issueWaiting(recipient);
    await delivery.cancel(quote);
    const row = await withdrawn(quote);
    expect(row).toMatchObject({
      withdrawn_at: delivery.clock.now,
      withdrawn_reason: 'The document was cancelled.',
      attempts: 0,
    });
    await delivery.render(quote);
    await othersAreSent();
    expect(await delivery.rows(quote)).toEqual([row]);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    expect(delivery.sentOf(quote)).toEqual([]);
    expect(delivery.failedOf(quote)).toEqual([]);
  });

  it('WithdrawDelivery withdraws a message that is deferred by quiet hours', async () => {
    const recipient = delivery.newRecipient();
    delivery.clock.now = new Date('2026-07-15T20:00:00Z');
    const quote = await issueWaiting(recipient, { business: quietHours });
    await delivery.render(quote);
    await delivery.inState(quote, 'ready');
    await delivery.cancel(quote);
    await withdrawn(quote);
    delivery.clock.now = new Date('2026-07-16T09:00:00Z');
    await othersAreSent();
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('PlanDelivery withdraws the messages of a document that was cancelled before', async () => {
    const recipient = delivery.newRecipient();
    const document = exampleDocument({ business_id: delivery.business.id, type: 'quote' });
    document.customer.email = recipient;
    await delivery.cancel(document);
    await delivery.network.publish(messageDue, document.id, exampleDue(document, delivery.business));
    expect(await delivery.planned(document)).toMatchObject({ status: 'queued', channel: 'email' });
    expect(await delivery.rows(document)).toMatchObject([{ state: 'withdrawn' }]);
    await delivery.render(document);
    await othersAreSent();
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it("a cancelled document's message is withdrawn or sent in any order of events", async () => {
    const recipient = delivery.newRecipient();
    const documents = Array.from({ length: 30 }, () => {
      const document = exampleDocument({ business_id: delivery.business.id, type: 'quote' });
      document.customer.email = recipient;
      return document;
    });
    await Promise.all(
      documents.flatMap((document) => [
        delivery.network.publish(messageDue, document.id, exampleDue(document, delivery.business)),
        delivery.render(document),
        delivery.cancel(document),
      ]),
    );
    const states = await eventually('each has its end', async () => {
      const rows = (await Promise.all(documents.map((document) => delivery.rows(document)))).flat();
      const ended = rows.filter(({ state }) => state === 'withdrawn' || state === 'sent');
      return ended.length === documents.length && ended.map(({ state }) => state);
    });
    await othersAreSent();
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(
      states.filter((state) => state === 'sent').length,
    );
  });

  it("WithdrawDelivery withdraws the accountant's copy too", async () => {
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const quote = await issueWaiting(recipient, {
      business: { accountant_copy: { enabled: true, email: accountant } },
    });
    await delivery.cancel(quote);
    await delivery.render(quote);
    await othersAreSent();
    expect((await delivery.rows(quote)).map(({ purpose, state }) => [purpose, state])).toEqual([
      ['accountant', 'withdrawn'],
      ['customer', 'withdrawn'],
    ]);
    for (const to of [recipient, accountant]) {
      expect(await delivery.mailbox.mailTo(to)).toEqual([]);
    }
  });

  it('MessageSender does not repeat a temporary failure of a cancelled document', async () => {
    await delivery.mailbox.mode('greylist');
    const recipient = delivery.newRecipient();
    const quote = await issueWaiting(recipient);
    await delivery.render(quote);
    await delivery.rowWhere(quote, 'it was tried', ({ attempts }) => attempts === 1);
    await delivery.cancel(quote);
    expect(await withdrawn(quote)).toMatchObject({ last_error: expect.stringMatching(/^451 /) });
    await delivery.mailbox.mode('ok');
    await othersAreSent();
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('MessageSender does not repeat an unknown outcome of a cancelled document', async () => {
    await delivery.mailbox.mode('hang');
    const recipient = delivery.newRecipient();
    const quote = await issueWaiting(recipient);
    await delivery.render(quote);
    await delivery.inState(quote, 'sending');
    await delivery.cancel(quote);
    expect(await delivery.rows(quote)).toMatchObject([{ state: 'sending' }]);
    expect(await withdrawn(quote)).toMatchObject({ attempts: 1, unknown_outcomes: 1 });
    await delivery.mailbox.mode('ok');
    await othersAreSent();
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it("MessageSender does not repeat a cancelled document's attempt whose process died", async () => {
    const recipient = delivery.newRecipient();
    const quote = await issueWaiting(recipient);
    await delivery.render(quote);
    const first = await delivery.inState(quote, 'sent');
    // Until after the cancellation no one finds what such a process leaves behind.
    await delivery.database.db
      .updateTable('delivery')
      .set({
        state: 'sending',
        sent_at: null,
        claimed_until: new Date(delivery.clock.now.getTime() + hour),
      })
      .where('id', '=', first.id)
      .execute();
    await delivery.cancel(quote);
    await othersAreSent();
    expect(await withdrawn(quote)).toMatchObject({ unknown_outcomes: 1 });
    await othersAreSent();
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('MessageSender does not send when the document is cancelled while the PDF is fetched', async () => {
    const recipient = delivery.newRecipient();
    const quote = await issueWaiting(recipient);
    let come = (): void => {};
    delivery.pdfReady = new Promise((resolve) => {
      come = resolve;
    });
    await delivery.render(quote);
    await eventually('its PDF is being fetched', () => delivery.releasedArtifacts.includes(quote.id));
    await delivery.cancel(quote);
    come();
    await withdrawn(quote);
    await othersAreSent();
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('MessageSender withdraws a message that became ready during the cancellation', async () => {
    const recipient = delivery.newRecipient();
    const quote = await issueWaiting(recipient);
    await delivery.database.db
      .updateTable('document')
      .set({ cancelled_at: delivery.clock.now })
      .where('document_id', '=', quote.id)
      .execute();
    await delivery.render(quote);
    await withdrawn(quote);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('MessageSender withdraws a message when rendering reports the cancellation first', async () => {
    const recipient = delivery.newRecipient();
    delivery.pdfCancelled = true;
    const quote = await issueWaiting(recipient);
    await delivery.render(quote);
    await withdrawn(quote);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });
});
