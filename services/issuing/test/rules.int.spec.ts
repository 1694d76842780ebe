import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreateDocument,
  cancelDocument,
  getUsage,
  type issueDocument,
  listSeries,
  type RequestOf,
} from '@pinkas/contracts';
import { documentTypeRules, documentTypes } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { cash, gate, type IssuingUnderTest, net, startIssuing, untilOneWaits, whileHeld } from './issuing.js';

describe('rules of IssueDocument', () => {
  const noon = new Date('2026-06-15T09:00:00Z');
  const beforeMidnight = new Date('2026-06-15T20:59:30Z');
  const afterMidnight = new Date('2026-06-15T21:00:30Z');
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0, now: noon });
  });
  afterEach(() => {
    issuing.clock.now = noon;
    issuing.render = async () => {};
    issuing.resolve = async () => {};
  });
  afterAll(() => issuing.stop());

  /** Everything that is stored: a rejected request must not change it. */
  const everything = async () => ({
    documents: await issuing.database.db
      .selectFrom('document')
      .select(['id', 'status', 'paid'])
      .orderBy('id')
      .execute(),
    series: await issuing.database.db
      .selectFrom('series')
      .selectAll()
      .orderBy('business_id')
      .orderBy('type')
      .execute(),
    counts: await issuing.database.db.selectFrom('daily_count').selectAll().orderBy('key_id').execute(),
    events: await issuing.database.db.selectFrom('outbox').select('id').orderBy('position').execute(),
  });

  it('rules are checked in the documented order, and a rejected request stores nothing', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const limited = { business, key: { id: randomUUID(), daily_documents: 0 } };
    const issue = (body: Partial<CreateDocument>, change: Partial<RequestOf<typeof issueDocument>> = {}) =>
      issuing.issue(body, randomUUID(), { business, ...change });
    const quote = await issue({ type: 'quote' });
    const cancelled = await issue({ type: 'proforma' });
    await issuing.network.call(cancelDocument, {
      business_id: business.id,
      document_id: cancelled.document.id,
      reason: null,
    });
    const invoice = await issue({ date: '2026-06-14' });
    await issue({ type: 'receipt', payments: cash(118), date: '2026-06-14' });
    const before = await everything();

    // Breaks every rule at once; one after the other is corrected.
    let body: Partial<CreateDocument> = {
      type: 'receipt',
      based_on: randomUUID(),
      items: Array.from({ length: 100 }, () => ({ description: 'א', quantity: 1e6, unit_price: 1e8 })),
      expected_total: 1,
      payments: cash(1),
      date: '2026-06-13',
    };
    issuing.resolve = async () => {
      throw new ApiError('customer_not_found');
    };
    issuing.render = async () => {
      throw new ApiError('document_generation_failed');
    };
    const rejection = async (change: Partial<RequestOf<typeof issueDocument>> = limited) =>
      issue(body, change).then(
        () => null,
        (error: ApiError) => error.code,
      );
    expect(await rejection()).toBe('based_on_not_found');
    body = { ...body, based_on: quote.document.id };
    expect(await rejection()).toBe('based_on_type_not_allowed');
    body = { ...body, based_on: cancelled.document.id };
    expect(await rejection()).toBe('based_on_cancelled');
    body = { ...body, based_on: invoice.document.id };
    expect(await rejection()).toBe('validation_error');
    body = { ...body, items: net(100) };
    expect(await rejection()).toBe('total_mismatch');
    body = { ...body, expected_total: 118 };
    expect(await rejection()).toBe('payments_total_mismatch');
    body = { ...body, payments: cash(118) };
    expect(await rejection()).toBe('customer_not_found');
    issuing.resolve = async () => {};
    expect(await rejection()).toBe('daily_limit_reached');
    const unlimited = { key: { id: randomUUID(), daily_documents: 300 } };
    expect(await rejection(unlimited)).toBe('date_before_last_document');
    body = { ...body, date: '2026-06-14' };
    expect(await rejection(unlimited)).toBe('document_generation_failed');
    expect(await everything()).toEqual(before);
    issuing.render = async () => {};
    expect(await rejection(unlimited)).toBeNull();
  });

  it('a replay returns the issued document though the request would be rejected today', async () => {
    const key = randomUUID();
    const business = { ...issuing.business, id: randomUUID() };
    const first = await issuing.issue({ type: 'proforma', due_date: '2026-06-15' }, key, { business });
    issuing.clock.now = new Date('2026-06-20T09:00:00Z');
    await issuing.issue({ type: 'proforma', date: '2026-06-20' }, randomUUID(), { business });
    const refusing = {
      business: { ...business, legal_type: 'osek_patur' as const },
      key: { id: randomUUID(), daily_documents: 0 },
    };
    const again = await issuing.issue({ type: 'proforma', due_date: '2026-06-15' }, key, refusing);
    expect(again).toEqual({ ...first, replayed: true });
    await expect(
      issuing.issue({ type: 'proforma', due_date: '2026-06-15' }, randomUUID(), { business }),
    ).rejects.toMatchObject({ code: 'validation_error' });
  });

  it('request_in_progress comes before every rule while another replica issues with the key', async () => {
    const key = randomUUID();
    const lock = sql`select pg_advisory_xact_lock(hashtextextended(${`${issuing.business.id} ${key}`}, 0))`;
    await whileHeld(
      issuing,
      (trx) => lock.execute(trx),
      async () => {
        await expect(issuing.issue({ expected_total: 1 }, key)).rejects.toMatchObject({
          code: 'request_in_progress',
        });
      },
    );
    await expect(issuing.issue({ expected_total: 1 }, key)).rejects.toMatchObject({ code: 'total_mismatch' });
  });

  it('a due date is checked again when midnight passes while the request waits', async () => {
    issuing.clock.now = beforeMidnight;
    const { open, opened } = gate();
    let reserving = false;
    issuing.resolve = async () => {
      reserving = true;
      await opened;
    };
    const business = { ...issuing.business, id: randomUUID() };
    const late = issuing
      .issue({ due_date: '2026-06-15' }, randomUUID(), { business })
      .catch((error: unknown) => error);
    await eventually('the card is being reserved', () => reserving);
    issuing.clock.now = afterMidnight;
    const before = await everything();
    open();
    expect(await late).toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/due_date', message: expect.any(String) }] },
    });
    expect(await everything()).toEqual(before);
  });

  it('a document is dated and counted on the day on which its number is locked', async () => {
    issuing.clock.now = beforeMidnight;
    const key = { id: randomUUID(), daily_documents: 1 };
    const usage = () => issuing.network.call(getUsage, { business_id: issuing.business.id, key_id: key.id });
    await issuing.issue({ type: 'order' }, randomUUID(), { key });
    await expect(issuing.issue({ type: 'order' }, randomUUID(), { key })).rejects.toMatchObject({
      code: 'daily_limit_reached',
    });
    // Another replica holds the series over midnight.
    await whileHeld(
      issuing,
      (trx) => trx.selectFrom('series').select('type').where('type', '=', 'order').forUpdate().execute(),
      async (release) => {
        const waiting = issuing.issue({ type: 'order' }, randomUUID(), { key });
        await untilOneWaits(issuing);
        issuing.clock.now = afterMidnight;
        expect(await usage()).toEqual({ used_today: 0 });
        await release();
        expect((await waiting).document.date).toBe('2026-06-16');
      },
    );
    expect(await usage()).toEqual({ used_today: 1 });
    issuing.clock.now = beforeMidnight;
    expect(await usage()).toEqual({ used_today: 1 });
  });

  it.each(documentTypes)('a licensed dealer can issue a %s', async (type) => {
    const rules = documentTypeRules[type];
    const business = { ...issuing.business, id: randomUUID() };
    const issue = (body: Partial<CreateDocument>) => issuing.issue(body, randomUUID(), { business });
    const source = rules.sourceRequired ? (await issue({})).document.id : undefined;
    const reply = await issue({
      type,
      ...(rules.payments === 'required' ? { payments: cash(118) } : {}),
      ...(source ? { based_on: source } : {}),
    });
    expect(reply.document.type).toBe(type);
    expect(reply.state.status).toBe(rules.issuedAs);
    expect(reply.document.totals).toEqual({
      subtotal: 100,
      discount: 0,
      vat: 18,
      vat_rate: 18,
      total: 118,
      currency: 'ILS',
    });
    expect(reply.state.paid).toBe(rules.payments === 'required' ? 118 : 0);
    expect(reply.document.due_date).toBe(rules.dueDate ? '2026-07-15' : null);
  });

  it('an exempt dealer cannot issue tax invoices', async () => {
    const business = { ...issuing.business, legal_type: 'osek_patur' as const, vat_rate: 0 };
    await expect(issuing.issue({}, randomUUID(), { business })).rejects.toMatchObject({
      code: 'legal_type_forbidden',
    });
    const { document } = await issuing.issue({ type: 'receipt', payments: cash(100) }, randomUUID(), {
      business,
    });
    expect(document.totals).toMatchObject({ vat: 0, total: 100 });
  });

  const refusals: [string, Partial<CreateDocument>, string, object][] = [
    ['a receipt without payments', { type: 'receipt' }, 'payments_required', {}],
    ['payments on an invoice', { payments: cash(118) }, 'payments_not_allowed', {}],
    [
      'a discount on a receipt',
      { type: 'receipt', payments: cash(1), discount: { type: 'percent', value: 1 } },
      'discount_not_allowed',
      {},
    ],
    ['a credit note without source', { type: 'credit_note' }, 'based_on_required', {}],
    [
      'a tax id that fails its check digit',
      { customer: { name: 'לקוח', tax_id: '123456789' } },
      'invalid_customer_tax_id',
      {},
    ],
    ["tomorrow's date", { date: '2026-06-16' }, 'future_date', {}],
    ['an unknown source', { based_on: '00000000-0000-4000-8000-000000000000' }, 'based_on_not_found', {}],
    [
      'another total than expected',
      { expected_total: 118.02 },
      'total_mismatch',
      { details: { computed_total: 118 } },
    ],
    [
      'payments of another sum',
      { type: 'receipt', payments: cash(117.98) },
      'payments_total_mismatch',
      { details: { total: 118 } },
    ],
    ['a discount above the sum', { discount: { type: 'amount', value: 100.01 } }, 'validation_error', {}],
    ['a due date before the date', { due_date: '2026-06-14' }, 'validation_error', {}],
    ['a due date on a quote', { type: 'quote', due_date: '2026-07-14' }, 'validation_error', {}],
  ];
  it.each(refusals)('IssueDocument rejects %s and stores nothing', async (_what, body, code, details) => {
    const before = await issuing.database.db.selectFrom('document').select('id').execute();
    await expect(issuing.issue(body)).rejects.toMatchObject({ code, ...details });
    expect(await issuing.database.db.selectFrom('document').select('id').execute()).toHaveLength(
      before.length,
    );
  });

  it('a total may differ from the expected one by one agora', async () => {
    expect((await issuing.issue({ expected_total: 118.01 })).document.totals.total).toBe(118);
    expect((await issuing.issue({ type: 'receipt', payments: cash(117.99) })).state.paid).toBe(117.99);
  });

  it('dates never decrease in a series', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    await issuing.issue({ date: '2026-06-10' }, randomUUID(), { business });
    await expect(issuing.issue({ date: '2026-06-09' }, randomUUID(), { business })).rejects.toMatchObject({
      code: 'date_before_last_document',
      details: { last_document_date: '2026-06-10' },
    });
    await issuing.issue({ date: '2026-06-10' }, randomUUID(), { business });
    const { series } = await issuing.network.call(listSeries, { business_id: business.id });
    expect(series).toEqual([
      { type: 'tax_invoice', first_number: 1, next_number: 3, last_date: '2026-06-10' },
    ]);
  });

  it('a document without a date takes the last date of its series when the clock is behind it', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    issuing.clock.now = new Date('2026-06-15T21:00:00Z');
    await issuing.issue({ type: 'proforma' }, randomUUID(), { business });
    issuing.clock.now = new Date('2026-06-15T20:59:59Z');
    const { document } = await issuing.issue({ type: 'proforma' }, randomUUID(), { business });
    expect(document.date).toBe('2026-06-16');
    expect(document.due_date).toBe('2026-07-16');
  });

  it('the daily limit of a key is exact under simultaneous requests and resets at midnight in Israel', async () => {
    const key = { id: randomUUID(), daily_documents: 5 };
    const types = ['quote', 'order', 'proforma'] as const;
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        issuing.issue({ type: types[index % 3] ?? 'quote' }, randomUUID(), { key }),
      ),
    );
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(5);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') {
        expect(attempt.reason.code).toBe('daily_limit_reached');
      }
    }
    const usage = () => issuing.network.call(getUsage, { business_id: issuing.business.id, key_id: key.id });
    expect(await usage()).toEqual({ used_today: 5 });
    issuing.clock.now = new Date('2026-06-15T21:00:00Z');
    expect(await usage()).toEqual({ used_today: 0 });
    expect((await issuing.issue({}, randomUUID(), { key })).document.date).toBe('2026-06-16');
  });

  it('a rejected document is not counted', async () => {
    const key = { id: randomUUID(), daily_documents: 5 };
    issuing.render = async () => {
      throw new ApiError('document_generation_failed');
    };
    await expect(issuing.issue({}, randomUUID(), { key })).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
    expect(
      await issuing.network.call(getUsage, { business_id: issuing.business.id, key_id: key.id }),
    ).toEqual({
      used_today: 0,
    });
  });
});
