import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { retryAllocation } from '@pinkas/contracts';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { TryAllocation } from '../src/allocation/try-allocation.js';
import { TaxAuthority } from '../src/authority/tax-authority.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;

describe('a try that may have been granted without our knowing', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 3_000 });
  });
  afterAll(() => allocation.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    return allocation.authority.behave();
  });

  const loggedErrors = () => jest.spyOn(allocation.service.app.get<Logger>(kitTokens.logger), 'error');
  const askedFor = async (documentId: string) => (await allocation.authority.calls()).asked[documentId];
  /** A document whose first try fails as the mode has it. */
  const failing = async (mode: 'lost' | 'error' | 'malformed' | 'hang') => {
    await allocation.authority.play({ mode });
    const invoice = await allocation.issue();
    const settled = await allocation.settled(invoice.id);
    expect(settled.status).toBe('failed');
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'asking', unclear: true });
    await allocation.authority.behave();
    return invoice;
  };

  it('is looked up, and its number attached without being asked for again', async () => {
    const invoice = await failing('lost');
    allocation.pass(5 * second);
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
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'issued', unclear: false });
  });

  it.each(['error', 'malformed', 'hang'] as const)(
    'is asked for again when the look-up finds nothing, after the authority played %s',
    async (mode) => {
      const invoice = await failing(mode);
      allocation.pass(5 * second);
      expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
      expect(await allocation.authority.lookUpsOf(invoice.id)).toMatchObject([{ found: false }]);
      expect(await askedFor(invoice.id)).toBe(2);
      expect(await allocation.authority.grantsOf(invoice.id)).toHaveLength(1);
    },
  );

  it('is never asked for again while the look-up fails', async () => {
    const invoice = await failing('lost');
    await allocation.authority.play({ mode: 'error', invoice_id: invoice.id });
    for (const [attempts, pauseMs] of [
      [2, 5 * second],
      [3, 30 * second],
    ] as const) {
      allocation.pass(pauseMs);
      await eventually(`try ${attempts} failed`, async () => {
        const row = await allocation.row(invoice.id);
        return row.attempts === attempts && row.claimed_until === null;
      });
    }
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'asking', unclear: true });
    expect(await askedFor(invoice.id)).toBe(1);
    await allocation.authority.behave();
    allocation.pass(120 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
    expect(await askedFor(invoice.id)).toBe(1);
  });

  it("does not take another document's number, but is given up at once for a person to look at", async () => {
    const other = await allocation.issue();
    const { number: others } = await allocation.settled(other.id);
    const errors = loggedErrors();
    await allocation.authority.play({ mode: 'foreign' });
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'failed', number: null });
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'given_up',
      reason: expect.stringContaining('a number that stands on another document'),
      unclear: true,
      number: null,
      confirmation_number: null,
    });
    expect(errors).toHaveBeenCalledTimes(1);
    expect(errors).toHaveBeenCalledWith(
      expect.objectContaining({ document_id: invoice.id, other_document_id: other.id }),
      'the tax authority gave a number that stands on another document',
    );
    expect(JSON.stringify(errors.mock.calls)).not.toContain(others);
    await allocation.authority.behave();
    const retried = await allocation.network.ask(retryAllocation, { document_id: invoice.id });
    expect(retried.outcome).toBe('issued');
    expect(retried.number).not.toBe(others);
    expect(await allocation.row(other.id)).toMatchObject({ state: 'issued', number: others });
  });

  it('does not take the answer about another document that a look-up finds', async () => {
    await allocation.settled((await allocation.issue()).id);
    const invoice = await failing('error');
    await allocation.authority.play({ mode: 'foreign', times: 1 });
    allocation.pass(5 * second);
    await eventually('the look-up told of another document', async () => {
      const row = await allocation.row(invoice.id);
      return row.reason === 'The tax authority answered about another document.';
    });
    expect(await askedFor(invoice.id)).toBe(1);
    allocation.pass(30 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
  });

  it('that brings a second number to a document that has one changes nothing, and is told as an error', async () => {
    const invoice = await allocation.issue();
    const { number } = await allocation.settled(invoice.id);
    const errors = loggedErrors();
    const secondNumber = '20260615000000000123456789';
    jest.spyOn(allocation.service.app.get(TaxAuthority), 'ask').mockResolvedValueOnce({
      kind: 'granted',
      confirmationNumber: secondNumber,
      number: secondNumber.slice(-9),
      answer: '{}',
    });
    // What a process does that stalled until another had asked.
    const stalled = { ...(await allocation.row(invoice.id)), connected_at: null };
    await allocation.service.app.get(TryAllocation).carryOut(stalled as never);
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'issued', number });
    expect(errors.mock.calls).toEqual([
      [
        { business_id: allocation.business.id, document_id: invoice.id },
        'the tax authority gave a second number to a document that has one',
      ],
    ]);
  });

  it('is what a claim leaves that nobody gave back: the number is looked up before it is asked for', async () => {
    await allocation.authority.play({ mode: 'hang' });
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    await allocation.authority.behave();
    // What a worker leaves behind that died before it could ask: a claim, and nothing at the authority.
    await allocation.database.db
      .updateTable('allocation')
      .set({
        unclear: false,
        claimed_until: new Date(allocation.clock.now.getTime() + 10 * second),
        next_attempt_at: allocation.clock.now,
      })
      .where('document_id', '=', invoice.id)
      .execute();
    allocation.pass(9 * second);
    expect(await allocation.row(invoice.id)).toMatchObject({ attempts: 1 });
    allocation.pass(2 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
    expect(await allocation.authority.lookUpsOf(invoice.id)).toMatchObject([{ found: false }]);
  });
});

describe('an authority that cannot be reached', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 3_000 });
  });
  afterAll(() => allocation.stop());

  it('was never asked, so that nothing has to be looked up when it is back', async () => {
    const before = await allocation.issue();
    await allocation.settled(before.id);
    await allocation.authority.kill();
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: 'The tax authority could not be reached.',
    });
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'asking', unclear: false });
    await allocation.authority.restart();
    allocation.pass(5 * second);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
    expect(await allocation.authority.lookUpsOf(invoice.id)).toEqual([]);
  });
});
