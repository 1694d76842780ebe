import { beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled, consumers } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectConsistentBook, expectVerified, type ObservedDocument } from '../../harness/book.js';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';
import {
  awaitAcknowledged,
  awaitRedelivered,
  type CommittedDocument,
  commitDocument,
  killAndAwaitRestart,
  killBeforeAcknowledgement,
  replay,
} from '../kill-at-point.js';
import { lockRows } from '../table-locks.js';

export function killedRendering(system: () => RunningStack): void {
  describe('rendering killed', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    const seen: ObservedDocument[] = [];
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ tax_authority_connected: true });
      const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, invoice(6000), 'first');
      seen.push({ key: 'first', id, number, total: totals.total });
    }, 180_000);

    const revisionsOf = async (id: string): Promise<number[]> => {
      const db = await stack.database<{ artifact: { document_id: string; revision: number } }>('rendering');
      const rows = await db
        .selectFrom('artifact')
        .select('revision')
        .where('document_id', '=', id)
        .orderBy('revision')
        .execute();
      return rows.map((row) => row.revision);
    };
    const expectSecondPdfOnce = async (item: CommittedDocument) => {
      await eventually(
        'the second PDF is stored',
        async () => (await revisionsOf(item.id)).length === 2,
        90_000,
      );
      await awaitAcknowledged(stack, allocationSettled, 'rendering-settle-artifact');
      expect(await revisionsOf(item.id)).toEqual([1, 2]);
      seen.push(await replay(stack, issuer, item));
    };
    const inFlight = async () => (await stack.calls<{ in_flight: number }>('gotenberg')).in_flight;

    // One wait for both: their events are delivered again 15 s later.
    it('rendering killed before the renderer answers, and between its answer and the commit, makes each revision once after the restart', async () => {
      // The authority's delay leaves time to slow the renderer down after the first PDF.
      await stack.setMode('tax_authority', { mode: 'ok', delay_ms: 1_500 });
      const one = await commitDocument(stack, issuer, invoice(6000));
      await stack.setMode('gotenberg', { delay_ms: 3_000 });
      await eventually('the second PDF is being made', async () => (await inFlight()) > 0);
      await killAndAwaitRestart(stack, 'rendering', async () => {
        expect(await revisionsOf(one.id)).toEqual([1]);
        await stack.setMode('gotenberg', { delay_ms: 0 });
      });
      const other = await commitDocument(stack, issuer, invoice(6000));
      const hold = await lockRows(stack, 'rendering', 'artifact', other.id);
      await hold.waitUntilBlocked();
      await killAndAwaitRestart(stack, 'rendering', async () => {
        expect(await revisionsOf(other.id)).toEqual([1]);
        await hold.release();
      });
      await stack.setMode('tax_authority', { mode: 'ok' });
      await expectSecondPdfOnce(one);
      await expectSecondPdfOnce(other);
    }, 180_000);

    it('rendering killed between the commit and the acknowledgement makes no second revision', async () => {
      await stack.setMode('tax_authority', { mode: 'ok', delay_ms: 1_500 });
      const one = await commitDocument(stack, issuer, invoice(6000));
      const hold = await lockRows(stack, 'rendering', 'artifact', one.id);
      await killBeforeAcknowledgement(
        stack,
        'rendering',
        hold,
        async () => (await revisionsOf(one.id)).length === 2,
      );
      await stack.setMode('tax_authority', { mode: 'ok' });
      await awaitRedelivered(stack, consumers.settleArtifact);
      await expectSecondPdfOnce(one);
    }, 180_000);

    it('the book is consistent after rendering was killed', async () => {
      expect(seen).toHaveLength(4);
      await expectConsistentBook(stack, issuer, 'tax_invoice', seen);
      await expectVerified(stack, issuer);
    }, 120_000);
  });
}
