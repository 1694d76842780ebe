import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getUsage } from '@pinkas/contracts';
import { tryAdvisoryLocks } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { gate, type IssuingUnderTest, startIssuing, untilOneWaits, whileHeld } from './issuing.js';

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

  it('request_in_progress comes before every rule while another replica issues with the key', async () => {
    const key = randomUUID();
    await whileHeld(
      issuing,
      (trx) => tryAdvisoryLocks(trx, 1, [[issuing.business.id, key]]),
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
    const issuer = { kind: 'key', id: randomUUID(), daily_documents: 1 } as const;
    const usage = () =>
      issuing.network.call(getUsage, { business_id: issuing.business.id, key_id: issuer.id });
    await issuing.issue({ type: 'order' }, randomUUID(), { issuer });
    await expect(issuing.issue({ type: 'order' }, randomUUID(), { issuer })).rejects.toMatchObject({
      code: 'daily_limit_reached',
    });
    // Another replica holds the series over midnight.
    await whileHeld(
      issuing,
      (trx) => trx.selectFrom('series').select('type').where('type', '=', 'order').forUpdate().execute(),
      async (release) => {
        const waiting = issuing.issue({ type: 'order' }, randomUUID(), { issuer });
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
    const issuer = { kind: 'key', id: randomUUID(), daily_documents: 5 } as const;
    const types = ['quote', 'order', 'proforma'] as const;
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        issuing.issue({ type: types[index % 3] ?? 'quote' }, randomUUID(), { issuer }),
      ),
    );
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(5);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') {
        expect(attempt.reason.code).toBe('daily_limit_reached');
      }
    }
    const usage = () =>
      issuing.network.call(getUsage, { business_id: issuing.business.id, key_id: issuer.id });
    expect(await usage()).toEqual({ used_today: 5 });
    issuing.clock.now = new Date('2026-06-15T21:00:00Z');
    expect(await usage()).toEqual({ used_today: 0 });
    expect((await issuing.issue({}, randomUUID(), { issuer })).document.date).toBe('2026-06-16');
  });
});

describe('the clock of an issuing process', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ now: new Date() });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    issuing.clock.now = new Date();
  });
  afterAll(() => issuing?.stop());

  const setAhead = (ms: number) => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  };
  const get = (path: string) => fetch(`http://127.0.0.1:${issuing.service.healthPort}${path}`);
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await (await get('/metrics')).text())?.[1]);
  const numbers = async () =>
    (await issuing.database.db.selectFrom('series').select('next_number').execute()).map(
      (series) => series.next_number,
    );

  it.each([
    ['ahead of', 3_500],
    ['behind', -3_500],
  ])('a process whose clock is %s the clock of the database issues nothing', async (_how, ms) => {
    await issuing.issue({ type: 'quote' });
    const before = await numbers();
    setAhead(ms);
    await expect(issuing.issue({ type: 'quote' })).rejects.toMatchObject({ code: 'engine_error' });
    expect(await numbers()).toEqual(before);
    const answer = await get('/readyz');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      reasons: [expect.stringMatching(/^the clock differs from the clock of the database by -?\d s$/)],
    });
    expect(await metric('pinkas_database_clock_difference_seconds')).toBeCloseTo(ms / 1_000, 0);
    jest.restoreAllMocks();
    await expect(issuing.issue({ type: 'quote' })).resolves.toMatchObject({ replayed: false });
    expect((await get('/readyz')).status).toBe(200);
  });

  it('a process whose clock is nearly right issues', async () => {
    setAhead(1_000);
    await expect(issuing.issue({ type: 'order' })).resolves.toMatchObject({ replayed: false });
  });

  it('a series whose last date is further ahead than tomorrow gives it to no document without a date', async () => {
    const dayMs = 24 * 60 * 60 * 1000;
    issuing.clock.now = new Date(Date.now() + 2 * dayMs);
    const { document } = await issuing.issue({ type: 'proforma' });
    issuing.clock.now = new Date();
    const before = await numbers();
    await expect(issuing.issue({ type: 'proforma' })).rejects.toMatchObject({
      code: 'date_before_last_document',
      details: { last_document_date: document.date },
    });
    expect(await numbers()).toEqual(before);
    expect(await metric('pinkas_series_ahead_total')).toBe(1);
    issuing.clock.now = new Date(Date.now() + dayMs);
    expect((await issuing.issue({ type: 'proforma' })).document.date).toBe(document.date);
  });
});
