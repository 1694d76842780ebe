import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type Allocation,
  allocationSettled,
  auditAllocations,
  clearTestAllocations,
  listDeadLetteredAllocations,
  listTestRequests,
  listUnresolvedAllocations,
  numberRequired,
  type ReplyOf,
  retryAllocation,
  showAllocation,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { auditTrail, eventually, exampleDocument } from '@pinkas/testkit';
import { sql } from 'kysely';
import { AllocationRequester } from '../src/attempt/allocation-requester.js';
import { TaxAuthority } from '../src/attempt/tax-authority.js';
import { type AllocationUnderTest, artifact_sha256, startAllocation } from './allocation.js';
import type { AuthorityFault } from './authority-simulator.js';

const second = 1_000;
const hour = 3_600 * second;
const minute = 60_000;

let allocation: AllocationUnderTest;
beforeAll(async () => {
  allocation = await startAllocation({ timeoutMs: 5_000 });
});
afterAll(() => allocation?.stop());

describe('an attempt of unknown outcome', () => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await allocation.authority.options({ reset: true });
    await allocation.authority.resetModes();
  });

  const loggedErrors = () => jest.spyOn(allocation.service.app.get<Logger>(kitTokens.logger), 'error');
  const askedFor = async (documentId: string) => (await allocation.authority.calls()).asked[documentId];
  /** A document whose first try fails as the mode has it. */
  const failing = async (fault: AuthorityFault) => {
    await allocation.authority.setMode(fault);
    const invoice = await allocation.issue();
    const settled = await allocation.settled(invoice.id);
    expect(settled.status).toBe('failed');
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'pending', outcome_unknown: true });
    await allocation.authority.resetModes();
    return invoice;
  };

  it.each([
    ['lost', { mode: 'lost' }, 'The tax authority could not be reached.'],
    ['error', { mode: 'error' }, 'The tax authority answered with HTTP status 500.'],
    ['408', { mode: 'status', status: 408 }, 'The tax authority answered with HTTP status 408.'],
    ['malformed', { mode: 'malformed' }, 'The tax authority gave an answer that cannot be read.'],
    ['hang', { mode: 'hang' }, 'The tax authority did not answer within 5 seconds.'],
  ] as const)(
    'a request whose outcome is unknown in mode %s is sent again with the same bytes, without a look-up',
    async (_name, fault, reason) => {
      const invoice = await failing(fault);
      expect(allocation.settledOf(invoice.id)).toEqual([{ status: 'failed', number: null, reason }]);
      allocation.advanceClock(5 * second);
      const settled = await allocation.settled(invoice.id, 2);
      const [grant, ...more] = await allocation.authority.grantsOf(invoice.id);
      expect(more).toEqual([]);
      expect(settled).toMatchObject({ status: 'issued', number: grant?.confirmation_number.slice(-9) });
      const [first, ...repeated] = await allocation.authority.approvalsOf(invoice.id);
      expect(repeated).toEqual([first]);
      expect(await allocation.authority.lookUpsOf(invoice.number)).toEqual([]);
      expect(await allocation.row(invoice.id)).toMatchObject({
        state: 'issued',
        attempts: 2,
        outcome_unknown: false,
      });
    },
  );

  it('a repeated request that certainly fails leaves the outcome of the first unknown', async () => {
    const invoice = await failing({ mode: 'lost' });
    await allocation.authority.setMode({ mode: 'status', status: 405 });
    allocation.advanceClock(5 * second);
    await eventually('the repetition failed', async () => {
      const row = await allocation.row(invoice.id);
      return row.attempts === 2 && row.claimed_until === null;
    });
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'pending',
      outcome_unknown: true,
      request: expect.stringContaining(invoice.id),
    });
  });

  it('an unknown code for a repeated request stops, and tells a person where the number may be', async () => {
    await allocation.authority.options({ repeat: 'error' });
    const invoice = await failing({ mode: 'lost' });
    allocation.advanceClock(5 * second);
    expect(await allocation.settled(invoice.id, 2)).toEqual({
      status: 'failed',
      number: null,
      reason: expect.stringMatching(/471 .*enter the number if it is there/),
    });
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'dead_lettered', outcome_unknown: true });
    expect(await askedFor(invoice.id)).toBe(2);
  });

  it('a lost refusal is found by its repetition, as the authority has it', async () => {
    await allocation.authority.setMode({ mode: 'refuse', times: 1 });
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    // What a process leaves that died before it stored the refusal.
    await allocation.database.db
      .updateTable('allocation')
      .set({ state: 'pending', next_attempt_at: allocation.clock.now, refused_at: null, refusal_codes: null })
      .where('document_id', '=', invoice.id)
      .execute();
    allocation.advanceClock(0);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^refused: 461 /),
    });
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'refused', refusal_codes: ['461'] });
  });

  it('a duplicate number is rejected and its document dead-lettered at once', async () => {
    const other = await allocation.issue();
    const { number: others } = await allocation.settled(other.id);
    const errors = loggedErrors();
    await allocation.authority.setMode({ mode: 'foreign' });
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'failed', number: null });
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'dead_lettered',
      reason: expect.stringContaining('a number that another document has'),
      outcome_unknown: true,
      number: null,
      confirmation_number: null,
    });
    expect(errors).toHaveBeenCalledTimes(1);
    expect(errors).toHaveBeenCalledWith(
      expect.objectContaining({ document_id: invoice.id, other_document_id: other.id }),
      'allocation number duplicate rejected',
    );
    expect(JSON.stringify(errors.mock.calls)).not.toContain(others);
    await allocation.authority.resetModes();
    const retried = await allocation.network.call(retryAllocation, { document_id: invoice.id });
    expect(retried.outcome).toBe('issued');
    expect(retried.number).not.toBe(others);
    expect(await allocation.row(other.id)).toMatchObject({ state: 'issued', number: others });
  });

  it('a second number of a document changes nothing and is logged as an error', async () => {
    const invoice = await allocation.issue();
    const { number } = await allocation.settled(invoice.id);
    const errors = loggedErrors();
    const secondNumber = '20260615000000000123456789';
    jest.spyOn(allocation.service.app.get(TaxAuthority), 'requestNumber').mockResolvedValueOnce({
      kind: 'granted',
      confirmationNumber: secondNumber,
      number: secondNumber.slice(-9),
      answer: '{}',
    });
    // What a process does that stalled until another had asked.
    const stalled = { ...(await allocation.row(invoice.id)), connected_at: null };
    await allocation.service.app.get(AllocationRequester).request(stalled as never);
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'issued', number });
    expect(errors.mock.calls).toEqual([
      [{ business_id: allocation.business.id, document_id: invoice.id }, 'second allocation number ignored'],
    ]);
    const metrics = await fetch(`http://127.0.0.1:${allocation.service.healthPort}/metrics`);
    expect(await metrics.text()).toMatch(/^pinkas_allocation_second_numbers_total 1$/m);
  });

  it('an expired claim counts as an attempt of unknown outcome', async () => {
    await allocation.authority.setMode({ mode: 'error' });
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    await allocation.authority.resetModes();
    // What a worker leaves behind that died before it could ask: a claim, and nothing at the authority.
    await allocation.database.db
      .updateTable('allocation')
      .set({
        outcome_unknown: false,
        claimed_until: new Date(allocation.clock.now.getTime() + 10 * second),
        next_attempt_at: allocation.clock.now,
      })
      .where('document_id', '=', invoice.id)
      .execute();
    allocation.advanceClock(9 * second);
    expect(await allocation.row(invoice.id)).toMatchObject({ attempts: 1 });
    allocation.advanceClock(2 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
    expect(
      new Set((await allocation.authority.approvalsOf(invoice.id)).map((body) => JSON.stringify(body))).size,
    ).toBe(1);
  });
});

describe('an unreachable authority', () => {
  it('a request that never reached the authority is composed again', async () => {
    const before = await allocation.issue();
    await allocation.settled(before.id);
    await allocation.authority.kill();
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: 'The tax authority could not be reached.',
    });
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'pending', outcome_unknown: false });
    await allocation.authority.restart();
    allocation.advanceClock(5 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
    expect(await allocation.authority.grantsOf(invoice.id)).toHaveLength(1);
  });
});

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
      return calls.filter((call) => call.status === null).length > 0;
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

describe('two instances of allocation', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 10_000 });
    await allocation.startAnother();
  });
  afterAll(() => allocation.stop());

  it('two instances refresh a token once when both need it at the same moment', async () => {
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const id of ids) {
      await allocation.connect(id);
    }
    allocation.advanceClock(11 * minute);
    const before = (await allocation.authority.calls()).token_uses.length;
    const invoices = await Promise.all(
      Array.from({ length: 40 }, (_, index) => allocation.issue({}, { id: ids[index % ids.length] ?? '' })),
    );
    for (const { id } of invoices) {
      expect(await allocation.settled(id)).toMatchObject({ status: 'issued' });
    }
    const uses = (await allocation.authority.calls()).token_uses.slice(before);
    expect(uses).toHaveLength(ids.length);
    for (const use of uses) {
      expect(use).toMatchObject({ grant_type: 'refresh_token', given: true });
    }
  });

  it('two instances request each number once in any order of events and redeliveries', async () => {
    const { business, clock, network } = allocation;
    const today = clock.now.toISOString().slice(0, 10);
    const documents = Array.from({ length: 12 }, (_, index) =>
      exampleDocument({ business_id: business.id, number: index + 1, date: today }),
    );
    // Once more under its own id, and once under another's, as a foreign publisher would.
    const messages = documents.flatMap((document) => {
      const messageId = randomUUID();
      return [messageId, messageId, randomUUID()].map((id) => ({ document, id }));
    });
    const shuffled = messages
      .map((message) => ({ message, place: Math.random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ message }) => message);
    for (const { document, id } of shuffled) {
      await network.publish(numberRequired, document.id, { document, business, artifact_sha256 }, id);
    }
    for (const { id } of documents) {
      expect(await allocation.settled(id)).toMatchObject({ status: 'issued' });
    }
    await allocation.redeliverAll();
    const { asked } = await allocation.authority.calls();
    for (const { id } of documents) {
      expect(asked[id]).toBe(1);
      expect(await allocation.authority.grantsOf(id)).toHaveLength(1);
      expect(allocation.settledOf(id)).toHaveLength(1);
    }
    const { count } = await allocation.database.db
      .selectFrom('dead_letter')
      .select(sql<number>`count(*)::int`.as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(0);
  });

  it('two instances request nothing that is not committed', async () => {
    const { db } = allocation.database;
    const invoice = await db.transaction().execute(async (trx) => {
      await sql`lock table allocation in share row exclusive mode`.execute(trx);
      const issued = await allocation.issue();
      await eventually('the decision waits for the lock', async () => {
        const { rows } = await sql`
          select 1 from pg_locks join pg_class on pg_class.oid = relation
          where relname = 'allocation' and not granted`.execute(trx);
        return rows.length > 0;
      });
      allocation.advanceClock(0);
      expect(await allocation.authority.approvalsOf(issued.id)).toEqual([]);
      return issued;
    });
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(1);
  });

  it('two instances lose no document when one of them stops with documents in flight', async () => {
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 500 });
    const other = await allocation.startAnother();
    const invoices = await Promise.all(Array.from({ length: 10 }, () => allocation.issue()));
    await eventually('some are under way', async () => {
      const { calls } = await allocation.authority.calls();
      return calls.some((call) => call.status === null);
    });
    await other.stop();
    for (const { id } of invoices) {
      expect(await allocation.settled(id)).toMatchObject({ status: 'issued' });
      expect(await allocation.authority.grantsOf(id)).toHaveLength(1);
    }
  });
});
