import { beforeAll, describe, expect, it } from '@jest/globals';
import { consumers } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectConsistentBook, expectVerified, type ObservedDocument } from '../../harness/book.js';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';
import {
  awaitRedelivered,
  commitDocument,
  killAndAwaitRestart,
  killBeforeAcknowledgement,
  replay,
} from '../kill-at-point.js';
import { lockRows, lockTables } from '../table-locks.js';

interface AuthorityCalls {
  calls: { path: string; body: { invoice_id?: string } | null; status: number | null }[];
  granted: { invoice_id: string; confirmation_number: string }[];
}

export function killedAllocation(system: () => RunningStack): void {
  describe('allocation killed', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    const seen: ObservedDocument[] = [];
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ tax_authority_connected: true });
      // The connection is made with the first number.
      const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, invoice(6000), 'first');
      seen.push({ key: 'first', id, number, total: totals.total });
    }, 180_000);

    const approvalsOf = async (id: string) =>
      (await stack.calls<AuthorityCalls>('tax_authority')).calls.filter(
        (call) => call.path.endsWith('/Approval') && call.body?.invoice_id === id,
      );
    const grantsOf = async (id: string) =>
      (await stack.calls<AuthorityCalls>('tax_authority')).granted.filter((grant) => grant.invoice_id === id);
    const allocationNumber = async (id: string) =>
      (await stack.call<{ allocation_number: string | null }>(issuer.key, 'GET', `/documents/${id}`)).body
        .allocation_number;

    /** Ends the claims of workers that died, as time would. */
    const expireClaims = async () => {
      const db = await stack.database<{ allocation: { claimed_until: Date | null } }>('allocation');
      await db
        .updateTable('allocation')
        .set({ claimed_until: sql<Date>`now()` })
        .where('claimed_until', 'is not', null)
        .execute();
    };
    const expectOneNumber = async (id: string) => {
      const number = await eventually('the number has come', () => allocationNumber(id), 60_000);
      const grants = await grantsOf(id);
      expect(grants.map((grant) => grant.confirmation_number.slice(-9))).toEqual([number]);
    };

    it('allocation killed before it calls the authority requests the number once after the restart', async () => {
      const hold = await lockTables(stack, 'allocation', ['connection']);
      const one = await commitDocument(stack, issuer, invoice(6000));
      await hold.waitUntilBlocked();
      expect(await approvalsOf(one.id)).toEqual([]);
      await killAndAwaitRestart(stack, 'allocation', () => hold.release());
      await expireClaims();
      await expectOneNumber(one.id);
      seen.push(await replay(stack, issuer, one));
    }, 120_000);

    it('allocation killed while the authority hangs requests the number again under the same id', async () => {
      await stack.setMode('tax_authority', { mode: 'hang' });
      const one = await commitDocument(stack, issuer, invoice(6000));
      await eventually('the authority was asked', async () => (await approvalsOf(one.id)).length > 0);
      await killAndAwaitRestart(stack, 'allocation', () => stack.setMode('tax_authority', { mode: 'ok' }));
      await expireClaims();
      await expectOneNumber(one.id);
      seen.push(await replay(stack, issuer, one));
    }, 120_000);

    it('allocation killed between the answer and the commit stores the number that was granted', async () => {
      await stack.setMode('tax_authority', { mode: 'ok', delay_ms: 1_500 });
      const one = await commitDocument(stack, issuer, invoice(6000));
      await eventually('the number is granted', async () => (await grantsOf(one.id)).length > 0);
      const hold = await lockRows(stack, 'allocation', 'allocation', one.id);
      await stack.setMode('tax_authority', { mode: 'ok' });
      await hold.waitUntilBlocked();
      await killAndAwaitRestart(stack, 'allocation', () => hold.release());
      expect(await allocationNumber(one.id)).toBeNull();
      await expireClaims();
      await expectOneNumber(one.id);
      seen.push(await replay(stack, issuer, one));
    }, 120_000);

    it('allocation killed between the commit and the acknowledgement ignores the redelivered event', async () => {
      const hold = await lockTables(stack, 'allocation', ['allocation']);
      const one = await commitDocument(stack, issuer, invoice(6000));
      const db = await stack.database<{ allocation: { document_id: string } }>('allocation');
      await killBeforeAcknowledgement(stack, 'allocation', hold, () =>
        db.selectFrom('allocation').selectAll().where('document_id', '=', one.id).executeTakeFirst(),
      );
      await expireClaims();
      await expectOneNumber(one.id);
      await awaitRedelivered(stack, consumers.decideAllocation);
      expect(await grantsOf(one.id)).toHaveLength(1);
      seen.push(await replay(stack, issuer, one));
    }, 180_000);

    it('the book is consistent after allocation was killed', async () => {
      expect(seen).toHaveLength(5);
      await expectConsistentBook(stack, issuer, 'tax_invoice', seen);
      await expectVerified(stack, issuer);
    }, 120_000);
  });
}
