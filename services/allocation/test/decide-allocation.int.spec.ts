import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled } from '@pinkas/contracts';
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
});
