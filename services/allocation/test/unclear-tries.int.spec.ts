import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;

describe('a try that may have been granted without our knowing', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 3_000 });
  });
  afterAll(() => allocation.stop());
  afterEach(() => allocation.authority.behave());

  const askedFor = async (documentId: string) => (await allocation.authority.calls()).asked[documentId];
  /** A document whose first try fails as the mode has it. */
  const failing = async (mode: 'lost' | 'error' | 'malformed' | 'hang' | 'foreign') => {
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

  it("does not take another document's number, whether it is told it as a number or finds it", async () => {
    const other = await allocation.issue();
    const { number: others } = await allocation.settled(other.id);
    const invoice = await failing('foreign');
    expect(await allocation.row(invoice.id)).toMatchObject({
      reason: 'The tax authority gave a number that stands on another document.',
      number: null,
      confirmation_number: null,
    });
    await allocation.authority.play({ mode: 'foreign', times: 1 });
    allocation.pass(5 * second);
    await eventually('the look-up told of another document', async () => {
      const row = await allocation.row(invoice.id);
      return row.reason === 'The tax authority answered about another document.';
    });
    expect(await askedFor(invoice.id)).toBe(1);
    allocation.pass(30 * second);
    const settled = await allocation.settled(invoice.id, 2);
    expect(settled.status).toBe('issued');
    expect(settled.number).not.toBe(others);
    expect(await allocation.row(other.id)).toMatchObject({ state: 'issued', number: others });
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
