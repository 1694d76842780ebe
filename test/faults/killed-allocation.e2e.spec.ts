import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentIssued } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectProven, expectSoundBook, type Seen } from '../book.js';
import { type Issuer, invoice, RunningStack } from '../running-stack.js';
import { holdRows, holdTables } from './holding.js';
import { acknowledged, commit, killAfterSaving, killAndReturn, replayed } from './steps-fixture.js';

interface AuthorityCalls {
  calls: { path: string; body: { invoice_id?: string } | null; status: number | null }[];
  granted: { invoice_id: string; confirmation_number: string }[];
}

describe('when allocation is killed', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  const seen: Seen[] = [];
  beforeAll(async () => {
    stack = await RunningStack.start();
    issuer = await stack.newIssuer({ tax_authority_connected: true });
    // The connection is made with the first number.
    const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, invoice(6000), 'first');
    seen.push({ key: 'first', id, number, total: totals.total });
  }, 180_000);
  afterAll(() => stack.stop(), 60_000);

  const approvalsOf = async (id: string) =>
    (await stack.calls<AuthorityCalls>('tax_authority')).calls.filter(
      (call) => call.path.endsWith('/Approval') && call.body?.invoice_id === id,
    );
  const grantsOf = async (id: string) =>
    (await stack.calls<AuthorityCalls>('tax_authority')).granted.filter((one) => one.invoice_id === id);
  const allocationNumber = async (id: string) =>
    (await stack.call<{ allocation_number: string | null }>(issuer.key, 'GET', `/documents/${id}`)).body
      .allocation_number;

  /** Ends the claims of workers that died, as time would. */
  const lapse = async () => {
    const db = await stack.database<{ allocation: { claimed_until: Date | null } }>('allocation');
    await db
      .updateTable('allocation')
      .set({ claimed_until: sql<Date>`now()` })
      .where('claimed_until', 'is not', null)
      .execute();
    await db.destroy();
  };
  const expectOneNumber = async (id: string) => {
    const number = await eventually('the number has come', () => allocationNumber(id), 60_000);
    const grants = await grantsOf(id);
    expect(grants.map((grant) => grant.confirmation_number.slice(-9))).toEqual([number]);
  };

  it('before it calls the authority, the number is asked for once by the next process', async () => {
    const hold = await holdTables(stack, 'allocation', ['connection']);
    const one = await commit(stack, issuer, invoice(6000));
    await hold.reached();
    expect(await approvalsOf(one.id)).toEqual([]);
    await killAndReturn(stack, 'allocation', () => hold.release());
    await lapse();
    await expectOneNumber(one.id);
    seen.push(await replayed(stack, issuer, one));
  }, 120_000);

  it('while the authority hangs, the number is asked for again under the same id', async () => {
    await stack.setMode('tax_authority', { mode: 'hang' });
    const one = await commit(stack, issuer, invoice(6000));
    await eventually('the authority was asked', async () => (await approvalsOf(one.id)).length > 0);
    await killAndReturn(stack, 'allocation', () => stack.setMode('tax_authority', { mode: 'ok' }));
    await lapse();
    await expectOneNumber(one.id);
    seen.push(await replayed(stack, issuer, one));
  }, 120_000);

  it('after the answer and before saving, the document gets the number that was granted', async () => {
    await stack.setMode('tax_authority', { mode: 'ok', delay_ms: 1_500 });
    const one = await commit(stack, issuer, invoice(6000));
    await eventually('the number is granted', async () => (await grantsOf(one.id)).length > 0);
    const hold = await holdRows(stack, 'allocation', 'allocation', one.id);
    await stack.setMode('tax_authority', { mode: 'ok' });
    await hold.reached();
    await killAndReturn(stack, 'allocation', () => hold.release());
    expect(await allocationNumber(one.id)).toBeNull();
    await lapse();
    await expectOneNumber(one.id);
    seen.push(await replayed(stack, issuer, one));
  }, 120_000);

  it('after saving and before the acknowledgement, the step that comes again changes nothing', async () => {
    const hold = await holdTables(stack, 'allocation', ['allocation']);
    const one = await commit(stack, issuer, invoice(6000));
    const db = await stack.database<{ allocation: { document_id: string } }>('allocation');
    await killAfterSaving(stack, 'allocation', hold, () =>
      db.selectFrom('allocation').selectAll().where('document_id', '=', one.id).executeTakeFirst(),
    );
    await db.destroy();
    await lapse();
    await expectOneNumber(one.id);
    await acknowledged(stack, documentIssued, 'allocation-decide');
    expect(await grantsOf(one.id)).toHaveLength(1);
    seen.push(await replayed(stack, issuer, one));
  }, 180_000);

  it('the book is sound, and proves itself', async () => {
    expect(seen).toHaveLength(5);
    await expectSoundBook(stack, issuer, 'tax_invoice', seen);
    await expectProven(stack);
  }, 120_000);
});
