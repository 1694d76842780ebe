import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { expectNothingOwed, expectSoundBook } from '../book.js';
import { type Issuer, invoice, RunningStack } from '../running-stack.js';

describe('when issuing is killed', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  beforeAll(async () => {
    stack = await RunningStack.start();
    issuer = await stack.newIssuer({ tax_authority_connected: true });
  }, 180_000);
  afterAll(() => stack.stop(), 60_000);

  it('in the middle of a rendering, the retry with the same key returns the one document, and no number is lost', async () => {
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
    await stack.restarted('issuing', before);
    const document = await stack.issueUntilAnswered(issuer.key, invoice(100), key);
    expect(document.number).toBe(first.number + 1);
    const next = await stack.issueUntilAnswered(issuer.key, invoice(100));
    expect(next.number).toBe(first.number + 2);
    await expectSoundBook(stack, issuer, 'tax_invoice', [
      { key, id: document.id, number: document.number, total: document.totals.total },
    ]);
  }, 120_000);

  it('right after its commit, the retry with the same key returns the one document, and the steps after it complete', async () => {
    const key = randomUUID();
    const body = invoice(6000, {
      type: 'credit_note',
      based_on: (await stack.issueUntilAnswered(issuer.key, invoice(9000))).id,
    });
    // While the authority hangs, issuing waits for it with the document committed: the moment to die in.
    await stack.setMode('tax_authority', { mode: 'hang' });
    const interrupted = stack.issue(issuer.key, body, key).catch(() => undefined);
    const db = await stack.database<{
      document: { id: string; number: number; idempotency_key: string; creation: unknown };
    }>('issuing');
    const row = await eventually('the document is committed', () =>
      db
        .selectFrom('document')
        .select(['id', 'number', 'creation'])
        .where('idempotency_key', '=', key)
        .executeTakeFirst(),
    );
    expect(row.creation).toBeNull();
    const before = await stack.pidOf('issuing');
    await stack.kill('issuing');
    await interrupted;
    await stack.setMode('tax_authority', { mode: 'ok' });
    await stack.restarted('issuing', before);
    await db.destroy();
    const replay = await stack.issue(issuer.key, body, key);
    expect(replay.status).toBe(201);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
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
    await expectSoundBook(stack, issuer, 'credit_note', [
      { key, id: row.id, number: row.number, total: replay.body.totals.total },
    ]);
    await expectNothingOwed(stack);
  }, 120_000);
});
