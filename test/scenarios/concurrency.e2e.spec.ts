import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedDocument } from '@pinkas/contracts';
import { expectNothingOwed, expectSoundBook, type Seen } from '../book.js';
import { type Issuer, invoice, RunningStack } from '../running-stack.js';

describe('many callers at once', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  beforeAll(async () => {
    stack = await RunningStack.start();
    issuer = await stack.newIssuer();
  }, 180_000);
  afterAll(() => stack.stop(), 60_000);

  it('get numbers without gap or double from one series while one rendering in five fails', async () => {
    const second = await stack.newKey(issuer.business.id);
    await stack.setMode('gotenberg', { fail_every: 5 });
    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const key = randomUUID();
        const answer = await stack.issue(index % 2 === 0 ? issuer.key : second.key, invoice(100), key);
        return { key, answer };
      }),
    );
    await stack.setMode('gotenberg', { fail_every: 0 });
    const seen: Seen[] = [];
    const see = (key: string, { id, number, totals }: CreatedDocument) =>
      seen.push({ key, id, number, total: totals.total });
    const refused: string[] = [];
    for (const { key, answer } of answers) {
      if (answer.status === 201) see(key, answer.body);
      else {
        refused.push(key);
        expect([answer.status, answer.body.error.code]).toEqual([502, 'document_generation_failed']);
        expect(answer.body.error.retryable).toBe(true);
      }
    }
    expect(seen.length).toBeGreaterThan(40);
    expect(seen.length).toBeLessThan(64);
    const numbers = () => seen.map((one) => one.number).sort((a, b) => a - b);
    expect(numbers()).toEqual(seen.map((_, index) => index + 1));
    await expectSoundBook(stack, issuer, 'tax_invoice', seen);

    for (const key of refused) see(key, await stack.issueUntilAnswered(issuer.key, invoice(100), key));
    expect(numbers()).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
    await expectSoundBook(stack, issuer, 'tax_invoice', seen);
    await expectNothingOwed(stack);
  }, 120_000);

  it('with one idempotency key get one document; a replay says so, a changed body is refused', async () => {
    const key = randomUUID();
    const body = invoice(200, { type: 'quote' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => stack.issue(issuer.key, body, key)));
    const issued = answers.filter((answer) => answer.status === 201);
    expect(issued.length).toBeGreaterThan(0);
    expect(new Set(issued.map((answer) => answer.body.id)).size).toBe(1);
    for (const answer of answers.filter((one) => one.status !== 201)) {
      expect([answer.status, answer.body.error.code]).toEqual([409, 'request_in_progress']);
      expect(answer.body.error.retryable).toBe(true);
    }
    expect(issued.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);

    const replay = await stack.issue(issuer.key, body, key);
    expect(replay.status).toBe(201);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body).toEqual(issued[0]?.body);
    const changed = await stack.issue(issuer.key, invoice(201, { type: 'quote' }), key);
    expect([changed.status, changed.body.error.code]).toEqual([409, 'idempotency_key_reused']);
    const { id, number, totals } = replay.body;
    await expectSoundBook(stack, issuer, 'quote', [{ key, id, number, total: totals.total }]);
  }, 60_000);
});
