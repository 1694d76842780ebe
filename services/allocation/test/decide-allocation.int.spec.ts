import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled, clearTestAllocations, listTestRequests } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

describe('DecideAllocation', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation();
  });
  afterAll(() => allocation.stop());

  it('DecideAllocation settles a document without a number at once and never calls the authority', async () => {
    const quote = await allocation.issue({ type: 'quote' });
    expect(await allocation.settled(quote.id)).toEqual({
      status: 'not_required',
      number: null,
      reason: 'A document of type quote needs no allocation number.',
    });
    expect(await allocation.authority.approvalsOf(quote.id)).toEqual([]);
  });

  it('DecideAllocation settles a missing tax id as skipped with its reason', async () => {
    const invoice = await allocation.issue({}, { tax_id: null });
    expect(await allocation.settled(invoice.id)).toEqual({
      status: 'skipped_business_tax_id_missing',
      number: null,
      reason: 'The business has no tax id in its profile.',
    });
  });

  it('DecideAllocation stores no customer data of a document without a number', async () => {
    const quote = await allocation.issue({ type: 'quote' });
    await allocation.settled(quote.id);
    expect(await allocation.row(quote.id)).toMatchObject({ state: 'not_required', facts: null, attempts: 0 });
  });

  it('DecideAllocation publishes the document and the business with the outcome', async () => {
    const seen = allocation.network.collect(allocationSettled);
    const quote = await allocation.issue({ type: 'quote' });
    await allocation.settled(quote.id);
    expect(seen.find((event) => event.document.id === quote.id)).toMatchObject({
      document: quote,
      business: { id: allocation.business.id },
    });
  });

  it('DecideAllocation settles a document once when its event is redelivered', async () => {
    const quote = await allocation.issue({ type: 'quote' });
    await allocation.settled(quote.id);
    await allocation.redeliverAll();
    const marker = await allocation.issue({ type: 'order' });
    await allocation.settled(marker.id);
    expect(allocation.settledOf(quote.id)).toHaveLength(1);
  });

  it('the number of a test document comes without the authority, is listed, and can be cleared', async () => {
    const id = testBookOf(allocation.business.id);
    const items = (sku: string) => [
      { description: 'Example', quantity: 1, unit_price: 6000, line_total: 6000, sku },
    ];
    const invoice = await allocation.issue({ items: items('test_allocation_issued') }, { id });
    const refused = await allocation.issue({ items: items('test_allocation_failed') }, { id });
    const { number } = await allocation.settled(invoice.id);
    expect(number).toMatch(/^[0-9]{9}$/);
    expect((await allocation.settled(refused.id)).status).toBe('failed');
    expect(await allocation.authority.approvalsOf(invoice.id)).toEqual([]);
    const list = () => allocation.network.call(listTestRequests, { business_id: id });
    expect((await list()).requests).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ document_id: invoice.id, state: 'issued', number }),
        expect.objectContaining({ document_id: refused.id, state: 'refused' }),
      ]),
    );
    const clear = (business_id: string) => allocation.network.call(clearTestAllocations, { business_id });
    await expect(clear(allocation.business.id)).rejects.toThrow();
    expect(await clear(id)).toEqual({ deleted: 2 });
    expect(await list()).toEqual({ requests: [], next_after: null });
  });
});
