import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type Allocation,
  allocationSettled,
  auditAllocations,
  listDeadLetteredAllocations,
  listUnresolvedAllocations,
  type ReplyOf,
  retryAllocation,
  showAllocation,
} from '@pinkas/contracts';
import { auditTrail, eventually } from '@pinkas/testkit';
import { AllocationRequester } from '../src/attempt/allocation-requester.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;
const minute = 60_000;

let allocation: AllocationUnderTest;
beforeAll(async () => {
  allocation = await startAllocation({ timeoutMs: 5_000 });
});
afterAll(() => allocation?.stop());

describe('RetryAllocation', () => {
  afterEach(() => allocation.authority.resetModes());

  const retry = (documentId: string) => allocation.network.call(retryAllocation, { document_id: documentId });
  const issueWhile = async (mode: 'refuse' | 'error' | 'rejected') => {
    await allocation.authority.setMode({ mode });
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    return invoice;
  };

  it('an outcome says whether another attempt follows, and the end of the attempts is published', async () => {
    const events = allocation.network.collect(allocationSettled);
    const pendingOf = (id: string) =>
      events
        .filter((event) => event.document.id === id)
        .map(({ allocation: { status }, pending }) => [status, pending]);
    await allocation.authority.setMode({ mode: 'error' });
    const late = await allocation.issue();
    await allocation.settled(late.id);
    await eventually('the failure is published', () => pendingOf(late.id).length === 1);
    expect(pendingOf(late.id)).toEqual([['failed', true]]);
    await allocation.authority.setMode({ mode: 'rejected' });
    allocation.advanceClock(5 * second);
    await eventually('the end is published', () => pendingOf(late.id).length === 2);
    expect(pendingOf(late.id)).toEqual([
      ['failed', true],
      ['failed', false],
    ]);
    await allocation.authority.resetModes();
    await retry(late.id);
    await eventually('the number is published', () => pendingOf(late.id).length === 3);
    expect(pendingOf(late.id)[2]).toEqual(['issued', false]);
    const refused = await issueWhile('refuse');
    await eventually('the refusal is published', () => pendingOf(refused.id).length === 1);
    expect(pendingOf(refused.id)).toEqual([['failed', false]]);
  });

  it('a refused document keeps the codes, the reason and the whole response', async () => {
    const invoice = await issueWhile('refuse');
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'refused',
      reason: 'refused: 460 Invoice not approved',
      refused_at: allocation.clock.now,
      refusal_codes: ['460'],
      refusal_message: '460 Invoice not approved',
      refusal_answer: expect.stringContaining('"approved":false'),
    });
  });

  it('RetryAllocation requests a refused number that is never repeated automatically', async () => {
    const invoice = await issueWhile('refuse');
    expect(await retry(invoice.id)).toMatchObject({
      outcome: 'refused',
      // The answer 461 means that the refusal is known: the first one, with its day, decides what the law allows.
      refusal_codes: ['460'],
      reason: 'refused: 460 Invoice not approved',
      number: null,
      next_attempt_at: null,
    });
    await allocation.authority.resetModes();
    allocation.advanceClock(3_600 * second);
    const marker = await allocation.issue();
    await allocation.settled(marker.id);
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(2);

    await allocation.authority.winHearing(invoice.id);
    const completed = await retry(invoice.id);
    const [grant] = await allocation.authority.grantsOf(invoice.id);
    expect(completed).toMatchObject({
      business_id: allocation.business.id,
      document_id: invoice.id,
      outcome: 'issued',
      number: grant?.confirmation_number.slice(-9),
      reason: null,
    });
    await eventually('the number is published', () =>
      allocation.settledOf(invoice.id).some((outcome) => outcome.number === completed.number),
    );
    // The refusal was a legal event, which a later number does not undo.
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'issued',
      reason: null,
      refusal_codes: ['460'],
      refusal_answer: expect.stringContaining('"approved":false'),
    });
  });

  it('a document whose data the authority rejects is dead-lettered at once and listed', async () => {
    const invoice = await issueWhile('rejected');
    const reason = expect.stringContaining('has to be corrected');
    expect(allocation.settledOf(invoice.id)).toEqual([{ status: 'failed', number: null, reason }]);
    const other = await issueWhile('rejected');
    const listed = (document_id: string) =>
      allocation.network.call(listDeadLetteredAllocations, { document_id, limit: 500 });
    const entry = {
      document_id: invoice.id,
      business_id: allocation.business.id,
      kind: 'number',
      reason,
      attempts: 1,
      dead_lettered_at: allocation.clock.now.toISOString(),
    };
    expect(await listed(invoice.id)).toEqual({ documents: [entry], next_after: null });
    expect(await listed(other.id)).toMatchObject({ documents: [{ document_id: other.id }] });
    expect(await retry(invoice.id)).toMatchObject({ outcome: 'failed', reason, next_attempt_at: null });
    await allocation.authority.resetModes();
    expect(await retry(invoice.id)).toMatchObject({ outcome: 'issued' });
    expect((await listed(invoice.id)).documents).toEqual([]);
    expect(await retry(other.id)).toMatchObject({ outcome: 'issued' });
  });

  it('listDeadLetteredAllocations lists every document on exactly one page', async () => {
    const deadLettered = await Promise.all([1, 2, 3].map(() => issueWhile('rejected')));
    const seen: string[] = [];
    let after: ReplyOf<typeof listDeadLetteredAllocations>['next_after'] = null;
    do {
      const page: ReplyOf<typeof listDeadLetteredAllocations> = await allocation.network.call(
        listDeadLetteredAllocations,
        { limit: 2, ...(after ? { after } : {}) },
      );
      seen.push(...page.documents.map((document) => document.document_id));
      after = page.next_after;
    } while (after);
    expect(new Set(seen).size).toBe(seen.length);
    for (const invoice of deadLettered) {
      expect(seen).toContain(invoice.id);
    }
    await allocation.authority.resetModes();
    for (const id of seen) {
      await retry(id);
    }
    expect(await allocation.network.call(listDeadLetteredAllocations, { limit: 500 })).toEqual({
      documents: [],
      next_after: null,
    });
  });

  it('RetryAllocation attempts a pending document now and returns the next attempt', async () => {
    const invoice = await issueWhile('error');
    const failed = await retry(invoice.id);
    expect(failed).toMatchObject({
      outcome: 'failed',
      reason: 'The tax authority answered with HTTP status 500.',
      next_attempt_at: new Date(allocation.clock.now.getTime() + 30 * second).toISOString(),
    });
    await allocation.authority.resetModes();
    expect(await retry(invoice.id)).toMatchObject({ outcome: 'issued' });
    expect(await allocation.authority.grantsOf(invoice.id)).toHaveLength(1);
  });

  it('RetryAllocation restarts the retry schedule of a dead-lettered document', async () => {
    const invoice = await issueWhile('rejected');
    await allocation.authority.setMode({ mode: 'error' });
    for (const pauseMs of [5 * second, 30 * second]) {
      expect(await retry(invoice.id)).toMatchObject({
        outcome: 'failed',
        next_attempt_at: new Date(allocation.clock.now.getTime() + pauseMs).toISOString(),
      });
    }
    expect(await allocation.row(invoice.id)).toMatchObject({ attempts: 3, earlier_attempts: 1 });
  });

  it('RetryAllocation requests a number once when two operators call at the same moment', async () => {
    const invoice = await issueWhile('rejected');
    await allocation.authority.resetModes();
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 300 });
    const replies = await Promise.all([retry(invoice.id), retry(invoice.id)]);
    expect(replies.map((reply) => reply.outcome).sort()).toEqual(['issued', 'not_retryable']);
    expect(new Set(replies.map((reply) => reply.number)).size).toBe(1);
    // The one that was refused, and one more.
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(2);
  });

  it('RetryAllocation returns not_retryable for a document that has its number, and finds none that requires none', async () => {
    const issued = await allocation.issue();
    const { number } = await allocation.settled(issued.id);
    expect(await retry(issued.id)).toMatchObject({
      outcome: 'not_retryable',
      number,
      reason: 'The document has its number already.',
    });
    await expect(retry(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('AllocationMetrics reports dead-lettered and pending documents', async () => {
    await issueWhile('rejected');
    const response = await fetch(`http://127.0.0.1:${allocation.service.healthPort}/metrics`);
    const text = await response.text();
    expect(text).toMatch(/^pinkas_allocations_dead_lettered [1-9]/m);
    for (const [outcome, answer] of [
      ['issued', 'approved'],
      ['refused', 'code_\\dxx'],
      ['pending', 'http_5xx'],
      ['dead_lettered', 'http_4xx'],
    ]) {
      const labels = `outcome="${outcome}",answer="${answer}"`;
      expect(text).toMatch(new RegExp(`^pinkas_allocation_attempts_total{${labels}} [1-9]`, 'm'));
    }
    expect(text).toMatch(/^pinkas_allocations_pending \d+$/m);
    expect(text).toMatch(/^pinkas_allocations_oldest_pending_seconds \d/m);
    expect(text).toContain('pinkas_authority_connections_expiring 0');
    expect(text).toContain('pinkas_authority_connections_ended 0');
  });

  it('auditAllocations returns the state of every document and null for unknown ones', async () => {
    const issued = await allocation.issue();
    const { number } = await allocation.settled(issued.id);
    const asking = await issueWhile('error');
    const strange = await allocation.issue({}, { id: randomUUID() });
    await allocation.settled(strange.id);
    const ids = [asking.id, issued.id, strange.id];
    const { documents } = await allocation.network.call(auditAllocations, {
      business_id: allocation.business.id,
      document_ids: ids,
    });
    expect(documents).toEqual([
      {
        document_id: asking.id,
        kind: 'number',
        state: 'pending',
        number: null,
        next_attempt_at: (await allocation.row(asking.id)).next_attempt_at?.toISOString(),
        settled_at: expect.any(String),
      },
      {
        document_id: issued.id,
        kind: 'number',
        state: 'issued',
        number,
        next_attempt_at: null,
        settled_at: expect.any(String),
      },
      // Another business's is none of this one's.
      { document_id: strange.id, state: null, number: null, next_attempt_at: null, settled_at: null },
    ]);
  });
});

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
