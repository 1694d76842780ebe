import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentIssued } from '@pinkas/contracts';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

describe('ReleaseDelivery', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());

  it('ReleaseDelivery releases a message when the PDF is final', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.planned(invoice);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    await delivery.render(invoice);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('PlanDelivery sends a message whose PDF was final before the plan', async () => {
    const recipient = delivery.newRecipient();
    const document = exampleDocument({ business_id: delivery.business.id });
    document.customer.email = recipient;
    await delivery.render(document);
    await eventually('the rendering is noted', () =>
      delivery.database.db
        .selectFrom('rendered_document')
        .selectAll()
        .where('document_id', '=', document.id)
        .executeTakeFirst(),
    );
    await delivery.network.publish(documentIssued, document.id, { document, business: delivery.business });
    await delivery.inState(document, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('ReleaseDelivery and PlanDelivery send a message in any order of their events', async () => {
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
