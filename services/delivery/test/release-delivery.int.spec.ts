import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentIssued } from '@pinkas/contracts';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

describe('a message that waits for the final PDF', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());

  it('leaves when the PDF is there', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.planned(invoice);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    await delivery.render(invoice);
    await delivery.rowWhere(invoice, 'the message is sent', (row) => row.state === 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('leaves also when the PDF was there before the plan', async () => {
    const recipient = delivery.newRecipient();
    const document = exampleDocument({ business_id: delivery.business.id });
    document.customer.email = recipient;
    await delivery.render(document);
    await eventually('the rendering is noted', () =>
      delivery.database.db
        .selectFrom('rendered')
        .selectAll()
        .where('document_id', '=', document.id)
        .executeTakeFirst(),
    );
    await delivery.network.publish(documentIssued, document.id, { document, business: delivery.business });
    await delivery.rowWhere(document, 'the message is sent', (row) => row.state === 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('leaves in whatever order and however close together the two events come', async () => {
    const recipient = delivery.newRecipient();
    const documents = Array.from({ length: 30 }, () => {
      const document = exampleDocument({ business_id: delivery.business.id });
      document.customer.email = recipient;
      return document;
    });
    await Promise.all(
      documents.flatMap((document) => [
        delivery.network.publish(documentIssued, document.id, { document, business: delivery.business }),
        delivery.render(document),
      ]),
    );
    await eventually('all are sent', async () => (await delivery.mailbox.mailTo(recipient)).length === 30);
  }, 30_000);
});
