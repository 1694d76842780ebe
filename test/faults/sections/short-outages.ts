import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorCatalogue } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectConsistentBook, type ObservedDocument } from '../../harness/book.js';
import { requestsMax } from '../../harness/limits.js';
import { expectNothingPending } from '../../harness/pending.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../../harness/running-stack.js';

export function shortOutages(system: () => RunningStack): void {
  describe('short outages', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
    }, 180_000);

    const allocationNumber = async (id: string) =>
      (await stack.call<{ allocation_number: string | null }>(issuer.key, 'GET', `/documents/${id}`)).body
        .allocation_number;

    const renderingBegins = () =>
      eventually('a rendering has begun', async () => {
        const { in_flight } = await stack.calls<{ in_flight: number }>('gotenberg');
        return in_flight > 0;
      });

    it('a document that is issued while the authority hangs gets its number later without a call', async () => {
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
      expect(granted.filter((grant) => grant.invoice_id === answer.body.id)).toHaveLength(1);
    }, 120_000);

    it('an email that the mail server defers is sent once when the server accepts it', async () => {
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
          .select(['attempts', 'state'])
          .where('document_id', '=', answer.body.id)
          .executeTakeFirst();
        return (row?.attempts ?? 0) > 0 && row?.state !== 'sending';
      });
      expect(await stack.mailsTo(email)).toEqual([]);
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
      expect(await stack.mailsTo(email)).toHaveLength(1);
    }, 120_000);

    it('a kill of NATS under load answers in time with documents or catalogued errors, and retries lose nothing', async () => {
      const seen: ObservedDocument[] = [];
      let refused = 0;
      const before = await stack.pidOf('nats');
      // No request has its answer before NATS is killed.
      await stack.setMode('gotenberg', { delay_ms: 2_000 });
      const callers = Array.from({ length: 12 }, async (_, index) => {
        const key = randomUUID();
        const body = invoice(100 + index, { type: 'quote' });
        const first = await stack.issue(issuer.key, body, key);
        if (first.status !== 201) {
          expect(Object.keys(errorCatalogue)).toContain(first.body.error.code);
          refused += 1;
        }
        const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, body, key);
        seen.push({ key, id, number, total: totals.total });
      });
      await renderingBegins();
      await stack.kill('nats');
      await stack.setMode('gotenberg', { delay_ms: 0 });
      await Promise.all(callers);
      await stack.awaitRestart('nats', before);
      expect(refused).toBeGreaterThan(0);
      await expectConsistentBook(stack, issuer, 'quote', seen);
      expect(new Set(seen.map((item) => item.number)).size).toBe(12);
      await expectNothingPending(stack);
    }, 120_000);

    it('requests succeed with local rate limits while Redis is frozen and after it is killed', async () => {
      const before = await stack.pidOf('redis');
      const timesUnreachable = async () =>
        (await stack.logOf('gateway')).split('"redis unreachable"').length - 1;
      const unreachableBefore = await timesUnreachable();
      await stack.kill('redis', 'SIGSTOP');
      const frozen = await stack.issue(issuer.key, invoice(100));
      expect(frozen.status).toBe(201);
      expect(frozen.headers['ratelimit-limit']).toBe(`${requestsMax}`);
      // The request has waited for it, and was counted without it.
      await eventually(
        'the gateway has noticed',
        async () => (await timesUnreachable()) === unreachableBefore + 1,
      );
      await stack.kill('redis');
      expect((await stack.issue(issuer.key, invoice(100))).status).toBe(201);
      await stack.awaitRestart('redis', before);
      expect((await stack.issue(issuer.key, invoice(100))).status).toBe(201);
    }, 120_000);

    it('a killed renderer leads to a catalogued error without a gap, and the next attempt succeeds', async () => {
      const before = await stack.pidOf('gotenberg');
      await stack.setMode('gotenberg', { delay_ms: 2_000 });
      const key = randomUUID();
      const interrupted = stack.issue(issuer.key, invoice(100, { type: 'order' }), key);
      await renderingBegins();
      await stack.kill('gotenberg');
      const first = await interrupted;
      expect([first.status, first.body.error.code]).toEqual([502, 'document_generation_failed']);
      await stack.awaitRestart('gotenberg', before);
      const { id, number, totals } = await stack.issueUntilAnswered(
        issuer.key,
        invoice(100, { type: 'order' }),
        key,
      );
      expect(number).toBe(1);
      await expectConsistentBook(stack, issuer, 'order', [{ key, id, number, total: totals.total }]);
    }, 120_000);
  });
}
