import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { retryAllocation } from '@pinkas/contracts';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { AllocationRequester } from '../src/allocation/allocation-requester.js';
import { TaxAuthority } from '../src/allocation/tax-authority.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;

describe('an attempt of unknown outcome', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 3_000 });
  });
  afterAll(() => allocation.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    return allocation.authority.resetModes();
  });

  const loggedErrors = () => jest.spyOn(allocation.service.app.get<Logger>(kitTokens.logger), 'error');
  const askedFor = async (documentId: string) => (await allocation.authority.calls()).asked[documentId];
  /** A document whose first try fails as the mode has it. */
  const failing = async (mode: 'lost' | 'error' | 'malformed' | 'hang') => {
    await allocation.authority.setMode({ mode });
    const invoice = await allocation.issue();
    const settled = await allocation.settled(invoice.id);
    expect(settled.status).toBe('failed');
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'pending', outcome_unknown: true });
    await allocation.authority.resetModes();
    return invoice;
  };

  it('a number of unknown outcome is looked up and attached without a second request', async () => {
    const invoice = await failing('lost');
    allocation.advanceClock(5 * second);
    const settled = await allocation.settled(invoice.id, 2);
    const [grant, ...more] = await allocation.authority.grantsOf(invoice.id);
    expect(more).toEqual([]);
    expect(settled).toEqual({
      status: 'issued',
      number: grant?.confirmation_number.slice(-9),
      reason: null,
    });
    expect(await askedFor(invoice.id)).toBe(1);
    expect(await allocation.authority.lookUpsOf(invoice.id)).toMatchObject([{ found: true }]);
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'issued', outcome_unknown: false });
  });

  it.each(['error', 'malformed', 'hang'] as const)(
    'a number is requested again when the look-up after mode %s finds none',
    async (mode) => {
      const invoice = await failing(mode);
      allocation.advanceClock(5 * second);
      expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
      expect(await allocation.authority.lookUpsOf(invoice.id)).toMatchObject([{ found: false }]);
      expect(await askedFor(invoice.id)).toBe(2);
      expect(await allocation.authority.grantsOf(invoice.id)).toHaveLength(1);
    },
  );

  it('a number of unknown outcome is not requested again while the look-up fails', async () => {
    const invoice = await failing('lost');
    await allocation.authority.setMode({ mode: 'error', invoice_id: invoice.id });
    for (const [attempts, pauseMs] of [
      [2, 5 * second],
      [3, 30 * second],
    ] as const) {
      allocation.advanceClock(pauseMs);
      await eventually(`try ${attempts} failed`, async () => {
        const row = await allocation.row(invoice.id);
        return row.attempts === attempts && row.claimed_until === null;
      });
    }
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'pending', outcome_unknown: true });
    expect(await askedFor(invoice.id)).toBe(1);
    await allocation.authority.resetModes();
    allocation.advanceClock(120 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
    expect(await askedFor(invoice.id)).toBe(1);
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

  it('a look-up answer about another document is rejected', async () => {
    await allocation.settled((await allocation.issue()).id);
    const invoice = await failing('error');
    await allocation.authority.setMode({ mode: 'foreign', times: 1 });
    allocation.advanceClock(5 * second);
    await eventually('the look-up returns another document', async () => {
      const row = await allocation.row(invoice.id);
      return row.reason === 'The tax authority answered about another document.';
    });
    expect(await askedFor(invoice.id)).toBe(1);
    allocation.advanceClock(30 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
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
  });

  it('an expired claim leads to a look-up before the number is requested', async () => {
    await allocation.authority.setMode({ mode: 'hang' });
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
    expect(await allocation.authority.lookUpsOf(invoice.id)).toMatchObject([{ found: false }]);
  });
});

describe('an unreachable authority', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 3_000 });
  });
  afterAll(() => allocation.stop());

  it('a request that never reached the authority needs no look-up', async () => {
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
    expect(await allocation.authority.lookUpsOf(invoice.id)).toEqual([]);
  });
});
