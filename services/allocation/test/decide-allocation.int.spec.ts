import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled } from '@pinkas/contracts';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

describe('an issued document that needs no number', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation();
  });
  afterAll(() => allocation.stop());

  it('is settled at once, with its reason, and the authority is never asked', async () => {
    const quote = await allocation.issue({ type: 'quote' });
    expect(await allocation.settled(quote.id)).toEqual({
      status: 'not_required',
      number: null,
      reason: 'A document of type quote needs no allocation number.',
    });
    expect(await allocation.authority.approvalsOf(quote.id)).toEqual([]);
  });

  it('because a tax id is missing is settled as skipped, with its reason', async () => {
    const invoice = await allocation.issue({}, { tax_id: null });
    expect(await allocation.settled(invoice.id)).toEqual({
      status: 'skipped_business_tax_id_missing',
      number: null,
      reason: 'The business has no tax id in its profile.',
    });
  });

  it('keeps nothing of its customer here', async () => {
    const quote = await allocation.issue({ type: 'quote' });
    await allocation.settled(quote.id);
    expect(await allocation.row(quote.id)).toMatchObject({ state: 'not_required', facts: null, attempts: 0 });
  });

  it('is announced with the document and the business for those who come next', async () => {
    const seen = allocation.network.collect(allocationSettled);
    const quote = await allocation.issue({ type: 'quote' });
    await allocation.settled(quote.id);
    expect(seen.find((event) => event.document.id === quote.id)).toMatchObject({
      document: quote,
      business: { id: allocation.business.id },
    });
  });

  it('is settled once, however often its event comes', async () => {
    const quote = await allocation.issue({ type: 'quote' });
    await allocation.settled(quote.id);
    await allocation.redeliverAll();
    const marker = await allocation.issue({ type: 'order' });
    await allocation.settled(marker.id);
    expect(allocation.settledOf(quote.id)).toHaveLength(1);
  });
});
