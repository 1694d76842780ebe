import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { expectConsistentBook, type ObservedDocument } from '../../harness/book.js';
import { expectNothingPending } from '../../harness/pending.js';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';
import { lockAtCommit, lockWrites } from '../table-locks.js';

/** How soon the caller of a process that died has an answer. */
const answerWithinMs = 5_000;

export function killedIssuing(system: () => RunningStack): void {
  describe('issuing killed', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ tax_authority_connected: true });
    }, 180_000);

    it('issuing killed during a rendering loses no number, and a retry with the same key returns one document', async () => {
      const key = randomUUID();
      const first = await stack.issueUntilAnswered(issuer.key, invoice(100));
      await stack.setMode('gotenberg', { delay_ms: 2_000 });
      const interrupted = stack.issue(issuer.key, invoice(100), key);
      await eventually('the rendering has begun', async () => {
        const { in_flight } = await stack.calls<{ in_flight: number }>('gotenberg');
        return in_flight > 0;
      });
      const before = await stack.pidOf('issuing');
      await stack.kill('issuing');
      const answer = await interrupted;
      expect(answer.body.error).toMatchObject({ code: 'engine_error', retryable: true });
      await stack.setMode('gotenberg', { delay_ms: 0 });
      await stack.awaitRestart('issuing', before);
      const document = await stack.issueUntilAnswered(issuer.key, invoice(100), key);
      expect(document.number).toBe(first.number + 1);
      const next = await stack.issueUntilAnswered(issuer.key, invoice(100));
      expect(next.number).toBe(first.number + 2);
      await expectConsistentBook(stack, issuer, 'tax_invoice', [
        { key, id: document.id, number: document.number, total: document.totals.total },
      ]);
    }, 120_000);

    it('issuing killed with requests in flight: each caller is answered before the deadline, and may retry', async () => {
      const keys = Array.from({ length: 8 }, () => randomUUID());
      await stack.setMode('gotenberg', { delay_ms: 4_000 });
      const answered = keys.map(async (key) => {
        const answer = await stack.issue(issuer.key, invoice(100), key);
        return { answer, atMs: performance.now() };
      });
      await eventually('a rendering has begun', async () => {
        const { in_flight } = await stack.calls<{ in_flight: number }>('gotenberg');
        return in_flight > 0;
      });
      const before = await stack.pidOf('issuing');
      const killedMs = performance.now();
      await stack.kill('issuing');
      for (const { answer, atMs } of await Promise.all(answered)) {
        expect(answer.body.error).toMatchObject({ code: 'engine_error', retryable: true });
        expect(atMs - killedMs).toBeLessThan(answerWithinMs);
      }
      await stack.setMode('gotenberg', { delay_ms: 0 });
      await stack.awaitRestart('issuing', before);
      const numbers = [];
      for (const key of keys) {
        numbers.push((await stack.issueUntilAnswered(issuer.key, invoice(100), key)).number);
      }
      expect(new Set(numbers).size).toBe(keys.length);
      await expectConsistentBook(stack, issuer, 'tax_invoice', []);
    }, 120_000);

    /** Where issuing dies, and how many of the documents in line are in the book then. */
    const boundaries: [string, boolean, (keys: readonly string[]) => Promise<() => Promise<unknown>>][] = [
      ['while their PDFs are rendered', false, async () => async () => {}],
      [
        'at their insert',
        false,
        async () => {
          const lock = await lockWrites(stack, 'issuing', 'book');
          await lock.waitUntilBlocked();
          return lock.release;
        },
      ],
      [
        'at their commit',
        true,
        async () => {
          const lock = await lockAtCommit(stack, 'issuing', 'document');
          await lock.waitUntilBlocked();
          return lock.release;
        },
      ],
      [
        'right after their commit',
        true,
        async (keys) => {
          // While the authority hangs, each of their requests waits for it.
          await eventually('the documents are committed', async () => (await countOf(keys)) === keys.length);
          return () => stack.setMode('tax_authority', { mode: 'ok' });
        },
      ],
    ];
    const countOf = async (keys: readonly string[]) => {
      const db = await stack.database<{ document: { id: string; idempotency_key: string } }>('issuing');
      const rows = await db
        .selectFrom('document')
        .select('id')
        .where('idempotency_key', 'in', keys)
        .execute();
      return rows.length;
    };

    it.each(boundaries)(
      'issuing killed with documents in line, %s, issues each of them once',
      async (_where, inBook, reach) => {
        const { business, key } = await stack.newIssuer({ tax_authority_connected: true });
        const keys = Array.from({ length: 5 }, () => randomUUID());
        const rendered = async () => (await stack.calls<{ in_flight: number }>('gotenberg')).in_flight;
        await stack.setMode('tax_authority', { mode: 'hang' });
        // Two of them in turn take less than a rendering may.
        await stack.setMode('gotenberg', { delay_ms: 1_500 });
        const front = stack.issue(key, invoice(9000));
        await eventually('the document before them is rendered', async () => (await rendered()) === 1);
        const answers = keys.map((item) => stack.issue(key, invoice(9000), item));
        await eventually('several are rendered at once', async () => (await rendered()) > 1);
        const release = await reach(keys);
        const before = await stack.pidOf('issuing');
        await stack.kill('issuing');
        for (const answer of await Promise.all(answers)) {
          expect(answer.body.error).toMatchObject({ code: 'engine_error', retryable: true });
        }
        await front;
        await release();
        await stack.setMode('tax_authority', { mode: 'ok' });
        await stack.setMode('gotenberg', { delay_ms: 0 });
        await stack.awaitRestart('issuing', before);
        if (inBook) {
          await eventually('the documents are committed', async () => (await countOf(keys)) === keys.length);
        } else {
          expect(await countOf(keys)).toBe(0);
        }
        const seen: ObservedDocument[] = [];
        for (const one of keys) {
          const { id, number, totals } = await stack.issueUntilAnswered(key, invoice(9000), one);
          seen.push({ key: one, id, number, total: totals.total });
        }
        expect(seen.map(({ number }) => number).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
        await expectConsistentBook(stack, { business, key }, 'tax_invoice', seen);
      },
      120_000,
    );

    it('issuing killed right after the commit returns the same document to a retry, and its events are handled', async () => {
      const key = randomUUID();
      const body = invoice(6000, {
        type: 'credit_note',
        based_on: (await stack.issueUntilAnswered(issuer.key, invoice(9000))).id,
      });
      // While the authority hangs, issuing waits for it with the document committed: the moment to die in.
      await stack.setMode('tax_authority', { mode: 'hang' });
      const interrupted = stack.issue(issuer.key, body, key);
      const db = await stack.database<{
        document: { id: string; number: number; idempotency_key: string; reply_outcomes: unknown };
      }>('issuing');
      const row = await eventually('the document is committed', () =>
        db
          .selectFrom('document')
          .select(['id', 'number', 'reply_outcomes'])
          .where('idempotency_key', '=', key)
          .executeTakeFirst(),
      );
      expect(row.reply_outcomes).toBeNull();
      const before = await stack.pidOf('issuing');
      await stack.kill('issuing');
      const answer = await interrupted;
      expect(answer.body.error).toMatchObject({ code: 'engine_error', retryable: true });
      await stack.setMode('tax_authority', { mode: 'ok' });
      await stack.awaitRestart('issuing', before);
      const replay = await stack.issue(issuer.key, body, key);
      expect(replay.status).toBe(201);
      expect(replay.headers['idempotent-replayed']).toBe('true');
      expect(replay.body).toMatchObject({ id: row.id, number: row.number });
      await eventually(
        'the allocation number is there',
        async () => {
          const read = await stack.call<{ allocation_number: string | null }>(
            issuer.key,
            'GET',
            `/documents/${row.id}`,
          );
          return read.body.allocation_number;
        },
        60_000,
      );
      await expectConsistentBook(stack, issuer, 'credit_note', [
        { key, id: row.id, number: row.number, total: replay.body.totals.total },
      ]);
      await expectNothingPending(stack);
    }, 120_000);
  });
}
