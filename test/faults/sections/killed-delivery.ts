import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { consumers } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectConsistentBook, expectVerified, type ObservedDocument } from '../../harness/book.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../../harness/running-stack.js';
import {
  awaitRedelivered,
  commitDocument,
  freeze,
  killAndAwaitRestart,
  killBeforeAcknowledgement,
  replay,
} from '../kill-at-point.js';
import { lockRows, lockTables, lockWrites } from '../table-locks.js';

interface DeliveryRow {
  document_id: string;
  state: string;
  claimed_until: Date | null;
}

export function killedDelivery(system: () => RunningStack): void {
  describe('delivery killed', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    const seen: ObservedDocument[] = [];
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer(sendsMail);
    }, 180_000);

    const mailed = () => {
      const email = `${randomUUID()}@example.com`;
      return { email, body: invoice(100, { customer: { name: 'לקוח דואר', email } }) };
    };
    const deliveries = () => stack.database<{ delivery: DeliveryRow }>('delivery');
    const inState = async (id: string, state: string) => {
      const db = await deliveries();
      await eventually(
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
      );
    };
    /** Ends the claims of workers that died, as time would. */
    const expireClaims = async () => {
      const db = await deliveries();
      await db
        .updateTable('delivery')
        .set({ claimed_until: sql<Date>`now()` })
        .where('claimed_until', 'is not', null)
        .execute();
    };

    it('delivery killed before it sends a message sends it once after the restart', async () => {
      const { email, body } = mailed();
      // Rendering is stopped when it is asked for the PDF: the message is claimed, and nothing has left.
      const one = await commitDocument(stack, issuer, body);
      await inState(one.id, 'sent');
      const hold = await lockWrites(stack, 'rendering', 'artifact_release');
      const second = mailed();
      const held = await commitDocument(stack, issuer, second.body);
      await hold.waitUntilBlocked();
      const db = await deliveries();
      await eventually('the message is claimed', () =>
        db
          .selectFrom('delivery')
          .select('document_id')
          .where('document_id', '=', held.id)
          .where('claimed_until', '>', sql<Date>`now()`)
          .executeTakeFirst(),
      );
      expect(await stack.mailsTo(second.email)).toEqual([]);
      await killAndAwaitRestart(stack, 'delivery', () => hold.release());
      await expireClaims();
      await inState(held.id, 'sent');
      expect(await stack.mailsTo(second.email)).toHaveLength(1);
      expect(await stack.mailsTo(email)).toHaveLength(1);
      seen.push(await replay(stack, issuer, one), await replay(stack, issuer, held));
    }, 120_000);

    it('delivery killed between the acceptance of an email and the commit sends it at most once more under the same Message-ID', async () => {
      const { email, body } = mailed();
      const thaw = await freeze(stack, 'mailbox');
      const one = await commitDocument(stack, issuer, body);
      await inState(one.id, 'sending');
      const hold = await lockRows(stack, 'delivery', 'delivery', one.id);
      thaw();
      await eventually('the mail was taken', async () => (await stack.mailsTo(email)).length === 1);
      await hold.waitUntilBlocked();
      await killAndAwaitRestart(stack, 'delivery', () => hold.release());
      await expireClaims();
      await inState(one.id, 'sent');
      const mails = await stack.mailsTo(email);
      expect(mails).toHaveLength(2);
      expect(new Set(mails.map((mail) => mail.message_id)).size).toBe(1);
      seen.push(await replay(stack, issuer, one));
    }, 120_000);

    it('delivery killed between the commit of a plan and the acknowledgement ignores the redelivered event', async () => {
      const { email, body } = mailed();
      const hold = await lockTables(stack, 'delivery', ['delivery']);
      const one = await commitDocument(stack, issuer, body);
      const db = await deliveries();
      await killBeforeAcknowledgement(stack, 'delivery', hold, () =>
        db.selectFrom('delivery').selectAll().where('document_id', '=', one.id).executeTakeFirst(),
      );
      await expireClaims();
      await inState(one.id, 'sent');
      await awaitRedelivered(stack, consumers.planDelivery);
      expect(await stack.mailsTo(email)).toHaveLength(1);
      seen.push(await replay(stack, issuer, one));
    }, 180_000);

    it('the book is consistent after delivery was killed', async () => {
      expect(seen).toHaveLength(4);
      await expectConsistentBook(stack, issuer, 'tax_invoice', seen);
      await expectVerified(stack, issuer);
    }, 120_000);
  });
}
