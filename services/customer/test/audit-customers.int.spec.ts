import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditCustomers } from '@pinkas/contracts';
import { exampleBusiness } from '@pinkas/testkit';
import { type CustomerUnderTest, startCustomer } from './customer.js';

describe('AuditCustomers', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer?.stop());

  const audit = async (customerIds: readonly string[], business_id = customer.business.id) => {
    const documents = customerIds.map((customer_id) => ({ document_id: randomUUID(), customer_id }));
    const reply = await customer.network.call(auditCustomers, { business_id, documents });
    expect(reply.documents.map((item) => item.document_id)).toEqual(
      documents.map((item) => item.document_id),
    );
    return reply.documents.map(({ details }) => details);
  };

  it('AuditCustomers lists the details that each card has, one result for each document', async () => {
    const { id } = await customer.issueTo({ name: 'Full', tax_id: '777777715', email: 'full@example.com' });
    const bare = await customer.issueTo({ name: 'Bare' });
    expect(await audit([id, bare.id, id.toUpperCase()])).toEqual([
      ['tax_id', 'email'],
      [],
      ['tax_id', 'email'],
    ]);
    expect(await audit([])).toEqual([]);
  });

  it('AuditCustomers lists nothing of a card that is unknown, only reserved, or of another business', async () => {
    const { id } = await customer.issueTo({ name: 'Of This Business' });
    const reserved = await customer.resolve({ name: 'Reserved Only' });
    expect(await audit([randomUUID(), reserved.id])).toEqual([null, null]);
    expect(await audit([id], exampleBusiness().id)).toEqual([null]);
  });
});
