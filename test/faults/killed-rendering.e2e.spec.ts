import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectProven, expectSoundBook, type Seen } from '../book.js';
import { type Issuer, invoice, RunningStack } from '../running-stack.js';
import { holdRows } from './holding.js';
import {
  acknowledged,
  type Committed,
  commit,
  killAfterSaving,
  killAndReturn,
  replayed,
} from './steps-fixture.js';

describe('when rendering is killed while it makes the PDF that bears the number', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  const seen: Seen[] = [];
  beforeAll(async () => {
    stack = await RunningStack.start();
    issuer = await stack.newIssuer({ tax_authority_connected: true });
    const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, invoice(6000), 'first');
    seen.push({ key: 'first', id, number, total: totals.total });
  }, 180_000);
  afterAll(() => stack.stop(), 60_000);

  const revisionsOf = async (id: string): Promise<number[]> => {
    const db = await stack.database<{ artifact: { document_id: string; revision: number } }>('rendering');
    try {
      const rows = await db
        .selectFrom('artifact')
        .select('revision')
        .where('document_id', '=', id)
        .orderBy('revision')
        .execute();
      return rows.map((row) => row.revision);
    } finally {
      await db.destroy();
    }
  };
  const expectSecondPdfOnce = async (one: Committed) => {
    await eventually(
      'the second PDF is stored',
      async () => (await revisionsOf(one.id)).length === 2,
      90_000,
    );
    await acknowledged(stack, allocationSettled, 'rendering-settle-artifact');
    expect(await revisionsOf(one.id)).toEqual([1, 2]);
    seen.push(await replayed(stack, issuer, one));
  };
  const inFlight = async () => (await stack.calls<{ in_flight: number }>('gotenberg')).in_flight;

  it('before the renderer has answered, the next process makes it, once', async () => {
    // The authority's delay leaves time to slow the renderer down after the first PDF.
    await stack.setMode('tax_authority', { mode: 'ok', delay_ms: 1_500 });
    const one = await commit(stack, issuer, invoice(6000));
    await stack.setMode('gotenberg', { delay_ms: 3_000 });
    await eventually('the second PDF is being made', async () => (await inFlight()) > 0);
    await killAndReturn(stack, 'rendering', () => stack.setMode('gotenberg', { delay_ms: 0 }));
    await stack.setMode('tax_authority', { mode: 'ok' });
    await expectSecondPdfOnce(one);
  }, 180_000);

  it('after the answer and before saving, the next process makes it, once', async () => {
    await stack.setMode('tax_authority', { mode: 'ok', delay_ms: 1_500 });
    const one = await commit(stack, issuer, invoice(6000));
    const hold = await holdRows(stack, 'rendering', 'artifact', one.id);
    await hold.reached();
    await killAndReturn(stack, 'rendering', () => hold.release());
    await stack.setMode('tax_authority', { mode: 'ok' });
    await expectSecondPdfOnce(one);
  }, 180_000);

  it('after saving and before the acknowledgement, the step that comes again makes nothing', async () => {
    await stack.setMode('tax_authority', { mode: 'ok', delay_ms: 1_500 });
    const one = await commit(stack, issuer, invoice(6000));
    const hold = await holdRows(stack, 'rendering', 'artifact', one.id);
    await killAfterSaving(stack, 'rendering', hold, async () => (await revisionsOf(one.id)).length === 2);
    await stack.setMode('tax_authority', { mode: 'ok' });
    await expectSecondPdfOnce(one);
  }, 180_000);

  it('the book is sound, and proves itself', async () => {
    expect(seen).toHaveLength(4);
    await expectSoundBook(stack, issuer, 'tax_invoice', seen);
    await expectProven(stack);
  }, 120_000);
});
