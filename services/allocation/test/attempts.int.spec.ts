import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled, clearTestAllocations, listTestRequests } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import { type AllocationUnderTest, artifact_sha256, startAllocation } from './allocation.js';

const second = 1_000;
const hour = 3_600 * second;

let allocation: AllocationUnderTest;
beforeAll(async () => {
  allocation = await startAllocation({ timeoutMs: 5_000 });
});
afterAll(() => allocation?.stop());

describe('AllocationWorker', () => {
  afterEach(() => allocation.authority.mode('ok'));

  const grantOf = async (documentId: string) =>
    (await allocation.authority.calls()).granted.filter((grant) => grant.invoice_id === documentId);

  it('AllocationWorker stores the whole number and its last nine digits', async () => {
    const invoice = await allocation.issue();
    const settled = await allocation.settled(invoice.id);
    const [grant] = await grantOf(invoice.id);
    expect(settled).toEqual({
      status: 'issued',
      number: grant?.confirmation_number.slice(-9),
      reason: null,
    });
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'issued',
      number: settled.number,
      confirmation_number: grant?.confirmation_number,
      attempts: 1,
      answer: expect.stringContaining(grant?.confirmation_number ?? '-'),
    });
  });

  it.each(['tax_invoice', 'tax_invoice_receipt', 'credit_note'] as const)(
    'a %s with long names and many lines gets a number',
    async (type) => {
      const items = Array.from({ length: 100 }, (_, index) => ({
        description: `תיאור ארוך מאוד של שורה שאינו נכנס לשדה של הרשות ${index}`,
        quantity: 0.3333,
        unit_price: 180.02,
        line_total: 60,
        sku: 'S'.repeat(64),
      }));
      const invoice = await allocation.issue({
        type,
        items,
        customer: {
          id: '3f0c1f8e-5b0a-4f0e-9a55-000000000001',
          name: 'לקוח עם שם ארוך מאוד שאינו נכנס לשדה של הרשות בשום אופן',
          tax_id: '12344',
          legal_type: null,
          email: null,
          phone: null,
          address: null,
          city: null,
        },
      });
      expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    },
  );

  it("AllocationWorker makes a refusal final with the authority's reason", async () => {
    await allocation.authority.mode('refuse');
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toEqual({
      status: 'failed',
      number: null,
      reason: expect.stringMatching(/^refused: 460 /),
    });
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'refused', next_attempt_at: null });
  });

  it('AllocationWorker sends the same request on every attempt', async () => {
    await allocation.authority.mode('error');
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    await allocation.authority.mode('ok');
    allocation.advanceClock(5 * second);
    await allocation.settled(invoice.id, 2);
    const [first, ...others] = await allocation.authority.approvalsOf(invoice.id);
    expect(others).toEqual([first]);
  });

  it('AllocationWorker publishes the first failure, repeats it for a day, and publishes that it is dead-lettered', async () => {
    await allocation.authority.mode('error');
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    for (let attempts = 2; attempts < 40; attempts += 1) {
      const { state } = await allocation.row(invoice.id);
      if (state === 'dead_lettered') {
        break;
      }
      allocation.advanceClock(hour);
      await eventually(`try ${attempts}`, async () => {
        const row = await allocation.row(invoice.id);
        return row.attempts >= attempts && row.claimed_until === null;
      });
    }
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'dead_lettered',
      reason: expect.stringMatching(/HTTP status 500\. An attempt may have been granted all the same: /),
      next_attempt_at: null,
    });
    await allocation.settled(invoice.id, 2);
    expect(allocation.settledOf(invoice.id)).toHaveLength(2);
  });

  it('AllocationWorker serves new documents before repeated ones', async () => {
    await allocation.authority.mode('error');
    const waiting = await Promise.all(Array.from({ length: 60 }, () => allocation.issue()));
    await Promise.all(waiting.map((invoice) => allocation.settled(invoice.id)));
    await allocation.authority.mode('hang');
    allocation.advanceClock(5 * second);
    await eventually('the repeated attempts hang', async () => {
      const { calls } = await allocation.authority.calls();
      return calls.some(({ path, status }) => path.endsWith('/Approval') && status === null);
    });
    await allocation.authority.mode('ok');
    const fresh = await allocation.issue();
    expect(await allocation.settled(fresh.id)).toMatchObject({ status: 'issued' });
    for (const invoice of waiting) {
      await eventually('a number for each', () => {
        allocation.advanceClock(30 * second);
        return allocation.settledOf(invoice.id).some((outcome) => outcome.status === 'issued');
      });
      expect(allocation.settledOf(invoice.id).map((outcome) => outcome.status)).toEqual(['failed', 'issued']);
    }
  });

  it('AllocationWorker requests a number once when its event is redelivered', async () => {
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    await allocation.redeliverAll();
    const marker = await allocation.issue();
    await allocation.settled(marker.id);
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(1);
    expect(allocation.settledOf(invoice.id)).toHaveLength(1);
  });

  it('AllocationWorker repeats the request when a process died before it stored the outcome', async () => {
    const invoice = await allocation.issue();
    const first = await allocation.settled(invoice.id);
    // What such a process leaves behind: the number granted, the row still claimed.
    await allocation.database.db
      .updateTable('allocation')
      .set({
        state: 'pending',
        number: null,
        confirmation_number: null,
        answer: null,
        next_attempt_at: allocation.clock.now,
        claimed_until: new Date(allocation.clock.now.getTime() + 10 * second),
        settled_at: null,
      })
      .where('document_id', '=', invoice.id)
      .execute();
    allocation.advanceClock(11 * second);
    expect(await allocation.settled(invoice.id, 2)).toEqual(first);
    expect(await grantOf(invoice.id)).toHaveLength(1);
  });
});

describe('RecordRequiredNumber', () => {
  it('AllocationRequester publishes the document and the business with the outcome', async () => {
    const seen = allocation.network.collect(allocationSettled);
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    expect(seen.find((event) => event.document.id === invoice.id)).toMatchObject({
      document: invoice,
      business: { id: allocation.business.id },
      artifact_sha256,
    });
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
    // Each document with its attempt.
    expect(await clear(id)).toEqual({ deleted: 4, more: false });
    expect(await list()).toEqual({ requests: [], next_after: null });
  });
});
