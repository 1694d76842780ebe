import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  auditAllocations,
  listDeadLetteredAllocations,
  type ReplyOf,
  retryAllocation,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;

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

  it('a refused document keeps the codes, the reason and the complete response', async () => {
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
