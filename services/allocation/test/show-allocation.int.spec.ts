import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type Allocation,
  listUnresolvedAllocations,
  type ReplyOf,
  retryAllocation,
  showAllocation,
} from '@pinkas/contracts';
import { eventually, readTrail } from '@pinkas/testkit';
import { AllocationRequester } from '../src/attempt/allocation-requester.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;
const minute = 60_000;

let allocation: AllocationUnderTest;
beforeAll(async () => {
  allocation = await startAllocation({ timeoutMs: 5_000 });
});
afterAll(() => allocation?.stop());

describe('the allocation of a document as its owner reads it', () => {
  afterEach(() => allocation.authority.resetModes());

  const showAll = (business_id: string, document_id: string, after_attempt?: number) =>
    allocation.network.call(showAllocation, {
      business_id,
      document_id,
      ...(after_attempt === undefined ? {} : { after_attempt }),
    });
  const show = async (businessId: string, documentId: string) =>
    (await showAll(businessId, documentId)).allocation;
  const issueWhile = async (mode: 'refuse' | 'error' | 'rejected', businessId: string) => {
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

  it('showAllocation returns the number of a document and when it came', async () => {
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

  it("showAllocation returns the authority's codes and words of a refusal", async () => {
    const id = randomUUID();
    const invoice = await issueWhile('refuse', id);
    expect(await show(id, invoice.id)).toMatchObject({
      state: 'refused',
      reason: 'refused: 460 Invoice not approved',
      refusal_codes: ['460'],
      next_attempt_at: null,
    });
  });

  it('showAllocation returns every attempt in order, also after a later one had another outcome', async () => {
    const id = randomUUID();
    const invoice = await issueWhile('rejected', id);
    const instants = [allocation.clock.now.toISOString()];
    const retryIn = async (mode: 'ok' | 'error' | 'refuse') => {
      allocation.advanceClock(minute);
      instants.push(allocation.clock.now.toISOString());
      await allocation.authority.setMode({ mode });
      return allocation.network.call(retryAllocation, { document_id: invoice.id });
    };
    await retryIn('refuse');
    await retryIn('error');
    await allocation.authority.winHearing(invoice.id);
    const { number } = await retryIn('ok');
    const outcomes = [
      { outcome: 'dead_lettered', reason: expect.stringContaining('has to be corrected') },
      { outcome: 'refused', reason: '460 Invoice not approved', refusal_codes: ['460'] },
      { outcome: 'failed', reason: 'The tax authority answered with HTTP status 500.' },
      { outcome: 'granted', number },
    ];
    const ended = { number: null, reason: null, refusal_codes: [] };
    expect(await showAll(id, invoice.id)).toEqual({
      allocation: expect.objectContaining({ state: 'issued', number }),
      attempts: outcomes.map((outcome, index) => ({
        ...ended,
        n: index + 1,
        started_at: expect.any(String),
        ended_at: instants[index],
        ...outcome,
      })),
      next_after_attempt: null,
    });
  });

  it('an attempt whose process dies has no outcome, and the next one does not replace it', async () => {
    const id = randomUUID();
    const requester = allocation.service.app.get(AllocationRequester);
    const died = jest.spyOn(requester, 'request').mockResolvedValueOnce();
    const invoice = await allocation.issue({}, { id });
    await eventually('the document is claimed', () => died.mock.calls.length > 0);
    died.mockRestore();
    allocation.advanceClock(requester.claimMs + second);
    await allocation.settled(invoice.id);
    const { attempts } = await showAll(id, invoice.id);
    expect(attempts).toMatchObject([
      { n: 1, ended_at: null, outcome: null },
      { n: 2, outcome: 'granted' },
    ]);
  });

  it('an attempt that stalled until the document had its number keeps its own outcome', async () => {
    const id = randomUUID();
    const requester = allocation.service.app.get(AllocationRequester);
    const stalls = jest.spyOn(requester, 'request').mockResolvedValueOnce();
    const invoice = await allocation.issue({}, { id });
    const [stalled] = await eventually('the document is claimed', () => stalls.mock.calls[0]);
    stalls.mockRestore();
    allocation.advanceClock(requester.claimMs + second);
    await allocation.settled(invoice.id);
    await allocation.authority.setMode({ mode: 'rejected' });
    await requester.request(stalled);
    const { allocation: shown, attempts } = await showAll(id, invoice.id);
    expect(shown).toMatchObject({ state: 'issued' });
    expect(attempts).toMatchObject([
      { n: 1, outcome: 'failed' },
      { n: 2, outcome: 'granted' },
    ]);
  });

  it('an attempt that has ended is neither changed nor deleted', async () => {
    const id = randomUUID();
    const invoice = await issueWhile('refuse', id);
    const { db } = allocation.database;
    const change = db.updateTable('attempt').set({ reason: 'none' }).where('document_id', '=', invoice.id);
    await expect(change.execute()).rejects.toThrow('an attempt that has ended is final');
    const removal = db.deleteFrom('attempt').where('document_id', '=', invoice.id);
    await expect(removal.execute()).rejects.toThrow('a live book is never emptied');
  });

  it('showAllocation returns each of more than 200 attempts on exactly one page', async () => {
    const id = randomUUID();
    const invoice = await issueWhile('refuse', id);
    const started_at = allocation.clock.now;
    const numbers = Array.from({ length: 201 }, (_, index) => index + 1);
    await allocation.database.db
      .insertInto('attempt')
      .values(numbers.slice(1).map((n) => ({ business_id: id, document_id: invoice.id, n, started_at })))
      .execute();
    const first = await showAll(id, invoice.id);
    expect(first.attempts.map(({ n }) => n)).toEqual(numbers.slice(0, 200));
    expect(first.next_after_attempt).toBe(200);
    const last = await showAll(id, invoice.id, 200);
    expect(last).toMatchObject({ attempts: [{ n: 201 }], next_after_attempt: null });
    expect((await showAll(randomUUID(), invoice.id)).attempts).toEqual([]);
  });

  it('showAllocation returns null for a document of another business and for one that it has not received', async () => {
    const id = randomUUID();
    const invoice = await allocation.issue({}, { id });
    await allocation.settled(invoice.id);
    expect(await show(id, invoice.id)).toMatchObject({ state: 'issued', attempts: 1 });
    expect(await show(randomUUID(), invoice.id)).toBeNull();
    expect(await show(id, randomUUID())).toBeNull();
  });

  it('listUnresolvedAllocations lists the refused and the dead-lettered documents of one business, the latest first', async () => {
    const id = randomUUID();
    const deadLettered = await issueWhile('rejected', id);
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
    expect(found[1]?.reason).toContain('has to be corrected');

    // A later refusal of the older document makes it the latest.
    await allocation.authority.setMode({ mode: 'refuse' });
    await allocation.network.call(retryAllocation, { document_id: deadLettered.id });
    expect((await unresolvedOf(id)).map(({ document_id }) => document_id)).toEqual([
      deadLettered.id,
      refused.id,
    ]);
  });

  it('listUnresolvedAllocations lists every document on exactly one page, also of one instant', async () => {
    const id = randomUUID();
    const invoices = [];
    for (const mode of ['refuse', 'rejected', 'refuse', 'rejected', 'refuse'] as const) {
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
    await allocation.authority.winHearing(invoice.id);
    expect(await retry(id)).toMatchObject({ outcome: 'issued', business_id: id });
    expect(await readTrail(allocation.database, id)).toEqual([
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
