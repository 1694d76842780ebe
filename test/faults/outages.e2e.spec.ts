import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorCatalogue } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectNothingOwed, expectSoundBook, type Seen } from '../book.js';
import { type Issuer, invoice, RunningStack, sendsMail } from '../running-stack.js';

describe('while a part is away', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  beforeAll(async () => {
    stack = await RunningStack.start();
    issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
  }, 180_000);
  afterAll(() => stack.stop(), 60_000);

  const allocationNumber = async (id: string) =>
    (await stack.call<{ allocation_number: string | null }>(issuer.key, 'GET', `/documents/${id}`)).body
      .allocation_number;

  it('the authority: the document is issued, says that the number failed, and gets the number by itself', async () => {
    await stack.setMode('tax_authority', { mode: 'hang' });
    const answer = await stack.issue(issuer.key, invoice(6000));
    expect(answer.status).toBe(201);
    expect(answer.body.allocation).toMatchObject({ status: 'failed', number: null });
    expect(answer.body.allocation.reason).not.toBeNull();
    await stack.setMode('tax_authority', { mode: 'ok' });
    const number = await eventually('the number has come', () => allocationNumber(answer.body.id), 60_000);
    const page = await eventually('the page shows it', async () => {
      const html = await (await fetch(answer.body.view_url)).text();
      return html.includes(number) ? html : undefined;
    });
    expect(page).toContain(number);
    const { granted } = await stack.calls<{ granted: { invoice_id: string }[] }>('tax_authority');
    expect(granted.filter((one) => one.invoice_id === answer.body.id)).toHaveLength(1);
  }, 120_000);

  it('the mailbox: the document is issued, and its mail goes out once when the mailbox is back', async () => {
    const email = `${randomUUID()}@example.com`;
    await stack.setMode('mailbox', { mode: 'greylist' });
    const answer = await stack.issue(issuer.key, invoice(100, { customer: { name: 'לקוח דואר', email } }));
    expect(answer.status).toBe(201);
    expect(answer.body.delivery.status).toBe('queued');
    const delivery = await stack.database<{
      delivery: { document_id: string; state: string; attempts: number };
    }>('delivery');
    await eventually('a first try was refused', async () => {
      const row = await delivery
        .selectFrom('delivery')
        .select('attempts')
        .where('document_id', '=', answer.body.id)
        .executeTakeFirst();
      return (row?.attempts ?? 0) > 0;
    });
    await stack.setMode('mailbox', { mode: 'ok' });
    await eventually('the mail has arrived', async () => (await stack.mailsTo(email)).length === 1, 60_000);
    await eventually('delivery knows', async () => {
      const row = await delivery
        .selectFrom('delivery')
        .select('state')
        .where('document_id', '=', answer.body.id)
        .executeTakeFirst();
      return row?.state === 'sent';
    });
    await delivery.destroy();
    expect(await stack.mailsTo(email)).toHaveLength(1);
  }, 120_000);

  it('NATS, killed under load: every answer is a document or a catalogued error in time, and retries lose nothing', async () => {
    const seen: Seen[] = [];
    const before = await stack.pidOf('nats');
    const callers = Array.from({ length: 12 }, async (_, index) => {
      const key = randomUUID();
      const body = invoice(100 + index, { type: 'quote' });
      const first = await stack.issue(issuer.key, body, key);
      if (first.status !== 201) expect(Object.keys(errorCatalogue)).toContain(first.body.error.code);
      const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, body, key);
      seen.push({ key, id, number, total: totals.total });
    });
    await stack.kill('nats');
    await Promise.all(callers);
    await stack.restarted('nats', before);
    await expectSoundBook(stack, issuer, 'quote', seen);
    expect(new Set(seen.map((one) => one.number)).size).toBe(12);
    await expectNothingOwed(stack);
  }, 120_000);

  it('Redis, frozen and then killed: requests go on, with the rate headers of the local count', async () => {
    const before = await stack.pidOf('redis');
    await stack.kill('redis', 'SIGSTOP');
    const frozen = await stack.issue(issuer.key, invoice(100));
    expect(frozen.status).toBe(201);
    expect(frozen.headers.get('ratelimit-limit')).toBe('100000');
    await stack.kill('redis');
    expect((await stack.issue(issuer.key, invoice(100))).status).toBe(201);
    await stack.restarted('redis', before);
    expect((await stack.issue(issuer.key, invoice(100))).status).toBe(201);
  }, 120_000);

  it('the renderer, killed: the refusal is catalogued, leaves no gap, and the next try works', async () => {
    const before = await stack.pidOf('gotenberg');
    await stack.kill('gotenberg');
    const key = randomUUID();
    const first = await stack.issue(issuer.key, invoice(100, { type: 'order' }), key);
    if (first.status !== 201) {
      expect([first.status, first.body.error.code]).toEqual([502, 'document_generation_failed']);
    }
    await stack.restarted('gotenberg', before);
    const { id, number, totals } = await stack.issueUntilAnswered(
      issuer.key,
      invoice(100, { type: 'order' }),
      key,
    );
    expect(number).toBe(1);
    await expectSoundBook(stack, issuer, 'order', [{ key, id, number, total: totals.total }]);
  }, 120_000);
});
