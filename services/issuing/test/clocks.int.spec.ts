import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

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
