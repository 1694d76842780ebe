import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  allocationSettled,
  clearTestAllocations,
  listTestRequests,
  numberRequired,
  retryAllocation,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { eventually, exampleDocument } from '@pinkas/testkit';
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

describe('two instances of allocation', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation();
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
      return calls.some(({ path, status }) => path.endsWith('/Approval') && status === null);
    });
    await other.stop();
    for (const { id } of invoices) {
      expect(await allocation.settled(id)).toMatchObject({ status: 'issued' });
      expect(await allocation.authority.grantsOf(id)).toHaveLength(1);
    }
  });
});
