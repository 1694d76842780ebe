import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentIssued } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectProven, expectSoundBook, type Seen } from '../book.js';
import { type Issuer, invoice, RunningStack, sendsMail } from '../running-stack.js';
import { holdRows, holdTables } from './holding.js';
import { acknowledged, commit, freeze, killAfterSaving, killAndReturn, replayed } from './steps-fixture.js';

interface DeliveryRow {
  document_id: string;
  state: string;
  claimed_until: Date | null;
}

describe('when delivery is killed', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  const seen: Seen[] = [];
  beforeAll(async () => {
    stack = await RunningStack.start();
    issuer = await stack.newIssuer(sendsMail);
  }, 180_000);
  afterAll(() => stack.stop(), 60_000);

  const mailed = () => {
    const email = `${randomUUID()}@example.com`;
    return { email, body: invoice(100, { customer: { name: 'לקוח דואר', email } }) };
  };
  const withDeliveries = async <T>(
    work: (db: Awaited<ReturnType<typeof stack.database<{ delivery: DeliveryRow }>>>) => Promise<T>,
  ): Promise<T> => {
    const db = await stack.database<{ delivery: DeliveryRow }>('delivery');
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  };
  const inState = (id: string, state: string) =>
    withDeliveries((db) =>
      eventually(
        `the message is ${state}`,
        async () => {
          const row = await db
            .selectFrom('delivery')
            .selectAll()
            .where('document_id', '=', id)
            .executeTakeFirst();
          return row?.state === state;
        },
        60_000,
      ),
    );
  /** Ends the claims of workers that died, as time would. */
  const lapse = () =>
    withDeliveries(async (db) => {
      await db
        .updateTable('delivery')
        .set({ claimed_until: sql<Date>`now()` })
        .where('claimed_until', 'is not', null)
        .execute();
    });

  it('before it hands a message over, the message is sent once by the next process', async () => {
    const { email, body } = mailed();
    // Rendering stands still when it is asked for the PDF: the message is claimed, and nothing has left.
    const one = await commit(stack, issuer, body);
    await inState(one.id, 'sent');
    const hold = await holdTables(stack, 'rendering', ['delivered']);
    const second = mailed();
    const held = await commit(stack, issuer, second.body);
    await hold.reached();
    expect(await stack.mailsTo(second.email)).toEqual([]);
    await killAndReturn(stack, 'delivery', () => hold.release());
    await lapse();
    await inState(held.id, 'sent');
    expect(await stack.mailsTo(second.email)).toHaveLength(1);
    expect(await stack.mailsTo(email)).toHaveLength(1);
    seen.push(await replayed(stack, issuer, one), await replayed(stack, issuer, held));
  }, 120_000);

  it('after the mail server took a message and before saving, it is sent at most once more, under the same Message-ID', async () => {
    const { email, body } = mailed();
    const thaw = await freeze(stack, 'mailbox');
    const one = await commit(stack, issuer, body);
    await inState(one.id, 'sending');
    const hold = await holdRows(stack, 'delivery', 'delivery', one.id);
    thaw();
    await eventually('the mail was taken', async () => (await stack.mailsTo(email)).length === 1);
    await hold.reached();
    await killAndReturn(stack, 'delivery', () => hold.release());
    await lapse();
    await inState(one.id, 'sent');
    const mails = await stack.mailsTo(email);
    expect(mails).toHaveLength(2);
    expect(new Set(mails.map((mail) => mail.message_id)).size).toBe(1);
    seen.push(await replayed(stack, issuer, one));
  }, 120_000);

  it('after saving the plan and before the acknowledgement, the step that comes again changes nothing', async () => {
    const { email, body } = mailed();
    const hold = await holdTables(stack, 'delivery', ['delivery']);
    const one = await commit(stack, issuer, body);
    await withDeliveries((db) =>
      killAfterSaving(stack, 'delivery', hold, () =>
        db.selectFrom('delivery').selectAll().where('document_id', '=', one.id).executeTakeFirst(),
      ),
    );
    await lapse();
    await inState(one.id, 'sent');
    await acknowledged(stack, documentIssued, 'delivery-plan');
    expect(await stack.mailsTo(email)).toHaveLength(1);
    seen.push(await replayed(stack, issuer, one));
  }, 180_000);

  it('the book is sound, and proves itself', async () => {
    expect(seen).toHaveLength(4);
    await expectSoundBook(stack, issuer, 'tax_invoice', seen);
    await expectProven(stack);
  }, 120_000);
});
