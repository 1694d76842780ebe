import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreateDocument,
  cancelDocument,
  getUsage,
  type issueDocument,
  type RequestOf,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { cash, gate, type IssuingUnderTest, net, startIssuing, untilOneWaits, whileHeld } from './issuing.js';

describe('the first rule that is broken', () => {
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

  /** Everything in the book, so that a refusal can be seen to leave nothing behind. */
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
    announced: await issuing.database.db.selectFrom('outbox').select('id').orderBy('position').execute(),
  });

  it('is the one that is told, from the source to the rendering, and none of the refusals leaves anything behind', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const asked = { business, key: { id: randomUUID(), daily_documents: 0 } };
    const issue = (body: Partial<CreateDocument>, change: Partial<RequestOf<typeof issueDocument>> = {}) =>
      issuing.issue(body, randomUUID(), { business, ...change });
    const quote = await issue({ type: 'quote' });
    const cancelled = await issue({ type: 'proforma' });
    await issuing.network.ask(cancelDocument, {
      business_id: business.id,
      document_id: cancelled.document.id,
      reason: null,
    });
    const invoice = await issue({ date: '2026-06-14' });
    await issue({ type: 'receipt', payments: cash(118), date: '2026-06-14' });
    const before = await everything();

    // Every fault at once; one after the other is mended.
    let body: Partial<CreateDocument> = {
      type: 'receipt',
      based_on: randomUUID(),
      items: Array.from({ length: 100 }, () => ({ description: 'א', quantity: 1e6, unit_price: 1e8 })),
      expected_total: 1,
      payments: cash(1),
      date: '2026-06-13',
    };
    issuing.resolve = async () => {
      throw new Problem('customer_not_found');
    };
    issuing.render = async () => {
      throw new Problem('document_generation_failed');
    };
    const told = async (change: Partial<RequestOf<typeof issueDocument>> = asked) =>
      issue(body, change).then(
        () => null,
        (error: Problem) => error.code,
      );
    expect(await told()).toBe('based_on_not_found');
    body = { ...body, based_on: quote.document.id };
    expect(await told()).toBe('based_on_type_not_allowed');
    body = { ...body, based_on: cancelled.document.id };
    expect(await told()).toBe('based_on_cancelled');
    body = { ...body, based_on: invoice.document.id };
    expect(await told()).toBe('validation_error');
    body = { ...body, items: net(100) };
    expect(await told()).toBe('total_mismatch');
    body = { ...body, expected_total: 118 };
    expect(await told()).toBe('payments_total_mismatch');
    body = { ...body, payments: cash(118) };
    expect(await told()).toBe('customer_not_found');
    issuing.resolve = async () => {};
    expect(await told()).toBe('daily_limit_reached');
    const unlimited = { key: { id: randomUUID(), daily_documents: 300 } };
    expect(await told(unlimited)).toBe('date_before_last_document');
    body = { ...body, date: '2026-06-14' };
    expect(await told(unlimited)).toBe('document_generation_failed');
    expect(await everything()).toEqual(before);
    issuing.render = async () => {};
    expect(await told(unlimited)).toBeNull();
  });

  it('is of no matter to a replay: what was issued is answered, though it would be refused today', async () => {
    const key = randomUUID();
    const first = await issuing.issue({ type: 'proforma', due_date: '2026-06-15' }, key);
    issuing.clock.now = new Date('2026-06-20T09:00:00Z');
    await issuing.issue({ type: 'proforma', date: '2026-06-20' });
    const refusing = {
      business: { ...issuing.business, legal_type: 'osek_patur' as const },
      key: { id: randomUUID(), daily_documents: 0 },
    };
    const again = await issuing.issue({ type: 'proforma', due_date: '2026-06-15' }, key, refusing);
    expect(again).toEqual({ ...first, replayed: true });
    await expect(
      issuing.issue({ type: 'proforma', due_date: '2026-06-15' }, randomUUID()),
    ).rejects.toMatchObject({ code: 'validation_error' });
  });

  it('is not looked for while another process issues with the key', async () => {
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

  it('may come about while the request waits: a day that is due is not before the date that midnight gives', async () => {
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
    await eventually('the request has begun', () => reserving);
    issuing.clock.now = afterMidnight;
    const before = await everything();
    open();
    expect(await late).toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/due_date', message: expect.any(String) }] },
    });
    expect(await everything()).toEqual(before);
  });

  it('is looked for on the day on which the number is given, and on that day the document is counted', async () => {
    issuing.clock.now = beforeMidnight;
    const key = { id: randomUUID(), daily_documents: 1 };
    const usage = () => issuing.network.ask(getUsage, { business_id: issuing.business.id, key_id: key.id });
    await issuing.issue({ type: 'order' }, randomUUID(), { key });
    await expect(issuing.issue({ type: 'order' }, randomUUID(), { key })).rejects.toMatchObject({
      code: 'daily_limit_reached',
    });
    // Another process holds the series over midnight.
    await whileHeld(
      issuing,
      (trx) => trx.selectFrom('series').select('type').where('type', '=', 'order').forUpdate().execute(),
      async (letGo) => {
        const waiting = issuing.issue({ type: 'order' }, randomUUID(), { key });
        await untilOneWaits(issuing);
        issuing.clock.now = afterMidnight;
        expect(await usage()).toEqual({ used_today: 0 });
        await letGo();
        expect((await waiting).document.date).toBe('2026-06-16');
      },
    );
    expect(await usage()).toEqual({ used_today: 1 });
    issuing.clock.now = beforeMidnight;
    expect(await usage()).toEqual({ used_today: 1 });
  });
});
