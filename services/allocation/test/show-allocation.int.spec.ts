import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Allocation,
  listUnresolvedAllocations,
  type ReplyOf,
  retryAllocation,
  showAllocation,
} from '@pinkas/contracts';
import { auditTrail } from '@pinkas/testkit';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;

describe('the allocation of a document as its owner reads it', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 10_000 });
  });
  afterAll(() => allocation.stop());
  afterEach(() => allocation.authority.resetModes());

  const show = async (businessId: string, documentId: string) =>
    (
      await allocation.network.call(showAllocation, {
        business_id: businessId,
        document_id: documentId,
      })
    ).allocation;
  const issueWhile = async (mode: 'refuse' | 'error' | 'forbidden', businessId: string) => {
    await allocation.authority.setMode({ mode });
    const invoice = await allocation.issue({}, { id: businessId });
    await allocation.settled(invoice.id);
    await allocation.authority.resetModes();
    return invoice;
  };
  const unresolvedOf = async (businessId: string, limit = 100): Promise<Allocation[]> => {
    const found: Allocation[] = [];
    let before: ReplyOf<typeof listUnresolvedAllocations>['next_before'] = null;
    do {
      const page: ReplyOf<typeof listUnresolvedAllocations> = await allocation.network.call(
        listUnresolvedAllocations,
        { business_id: businessId, limit, ...(before ? { before } : {}) },
      );
      expect(page.allocations.length).toBeLessThanOrEqual(limit);
      found.push(...page.allocations);
      before = page.next_before;
    } while (before);
    return found;
  };

  it('ShowAllocation returns the number of a document and when it came', async () => {
    const id = randomUUID();
    const invoice = await issueWhile('error', id);
    const issuedAt = allocation.clock.now.toISOString();
    expect(await show(id, invoice.id)).toEqual({
      document_id: invoice.id,
      state: 'pending',
      number: null,
      reason: 'The tax authority answered with HTTP status 500.',
      refusal_codes: [],
      attempts: 1,
      first_attempt_at: expect.any(String),
      next_attempt_at: new Date(allocation.clock.now.getTime() + 5 * second).toISOString(),
      decided_at: issuedAt,
    });
    allocation.advanceClock(5 * second);
    const { number } = await allocation.settled(invoice.id, 2);
    expect(number).toMatch(/^\d{9}$/);
    expect(await show(id, invoice.id)).toEqual({
      document_id: invoice.id,
      state: 'issued',
      number,
      reason: null,
      refusal_codes: [],
      attempts: 2,
      first_attempt_at: expect.any(String),
      next_attempt_at: null,
      decided_at: allocation.clock.now.toISOString(),
    });
  });

  it("ShowAllocation returns the authority's codes and words of a refusal", async () => {
    const id = randomUUID();
    const invoice = await issueWhile('refuse', id);
    expect(await show(id, invoice.id)).toMatchObject({
      state: 'refused',
      reason: 'refused: 460 the number was refused',
      refusal_codes: ['460'],
      next_attempt_at: null,
    });
  });

  it('ShowAllocation returns null for a document of another business and for one that it has not received', async () => {
    const id = randomUUID();
    const invoice = await allocation.issue({ type: 'quote' }, { id });
    await allocation.settled(invoice.id);
    expect(await show(id, invoice.id)).toMatchObject({ state: 'not_required', attempts: 0 });
    expect(await show(randomUUID(), invoice.id)).toBeNull();
    expect(await show(id, randomUUID())).toBeNull();
  });

  it('ListUnresolvedAllocations lists the refused and the dead-lettered documents of one business, the latest first', async () => {
    const id = randomUUID();
    const deadLettered = await issueWhile('forbidden', id);
    allocation.advanceClock(second);
    const refused = await issueWhile('refuse', id);
    allocation.advanceClock(second);
    const issued = await allocation.issue({}, { id });
    await allocation.settled(issued.id);
    await issueWhile('error', id);
    await issueWhile('refuse', randomUUID());

    const found = await unresolvedOf(id);
    expect(found.map(({ document_id, state }) => [document_id, state])).toEqual([
      [refused.id, 'refused'],
      [deadLettered.id, 'dead_lettered'],
    ]);
    expect(found[0]).toEqual(await show(id, refused.id));
    expect(found[1]?.reason).toContain('has to be subscribed');

    // A later refusal of the older document makes it the latest.
    await allocation.authority.setMode({ mode: 'refuse' });
    await allocation.network.call(retryAllocation, { document_id: deadLettered.id });
    expect((await unresolvedOf(id)).map(({ document_id }) => document_id)).toEqual([
      deadLettered.id,
      refused.id,
    ]);
  });

  it('ListUnresolvedAllocations lists every document on exactly one page, also of one instant', async () => {
    const id = randomUUID();
    const invoices = [];
    for (const mode of ['refuse', 'forbidden', 'refuse', 'forbidden', 'refuse'] as const) {
      invoices.push(await issueWhile(mode, id));
    }
    const seen = (await unresolvedOf(id, 2)).map(({ document_id }) => document_id);
    expect(seen).toEqual(
      invoices
        .map((invoice) => invoice.id)
        .sort()
        .reverse(),
    );
  });

  it('RetryAllocation requests the number of a document of its own business only, in the name of the person', async () => {
    const id = randomUUID();
    const personId = randomUUID();
    const invoice = await issueWhile('refuse', id);
    const retry = (businessId: string) =>
      allocation.network.call(retryAllocation, {
        document_id: invoice.id,
        business_id: businessId,
        person_id: personId,
      });
    await expect(retry(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(1);
    expect(await retry(id)).toMatchObject({ outcome: 'issued', business_id: id });
    expect(await auditTrail(allocation.database, id)).toEqual([
      {
        action: 'allocation.retry',
        actor: `person:${personId}`,
        subject: invoice.id,
        before: { state: 'refused' },
        after: null,
      },
    ]);
  });
});
