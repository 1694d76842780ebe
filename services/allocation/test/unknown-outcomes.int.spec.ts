import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { retryAllocation } from '@pinkas/contracts';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { AllocationRequester } from '../src/attempt/allocation-requester.js';
import { TaxAuthority } from '../src/attempt/tax-authority.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';
import type { AuthorityFault } from './authority-simulator.js';

const second = 1_000;

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
