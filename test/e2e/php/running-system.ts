import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';
import type { PhpCall, PhpDriver } from './php-driver.js';

/** The client in PHP on the running system. */
export function phpOnTheRunningSystem(
  system: () => RunningStack,
  driver: () => Promise<PhpDriver | undefined>,
): void {
  describe('PinkasClient of PHP on the running system', () => {
    let php: PhpDriver | undefined;
    let issuer: Issuer;
    let baseUrl: string;
    beforeAll(async () => {
      php = await driver();
      issuer = await system().newIssuer({ tax_authority_connected: true });
      baseUrl = (await system().file()).base_url;
    });

    const callOf = async (
      method: string,
      args: readonly unknown[] = [],
      options: PhpCall['options'] = {},
      apiKey = issuer.key,
    ) =>
      (php as PhpDriver).ask({
        do: 'call',
        method,
        arguments: args,
        options: { baseUrl, apiKey, ...options },
      });

    it('PinkasClient of PHP issues, replays, reads, lists, follows events and cancels', async () => {
      if (!php) {
        return;
      }
      // Events begin with the first call.
      expect((await callOf('events')).ok).toEqual([]);
      const body = invoice(6000.1, { external_ref: 'order-17', customer: { name: 'לקוח חדש' } });
      const first = (await callOf('createDocument', [body, 'order-17'])).ok;
      expect(first).toMatchObject({ replayed: false, document: { number: 1, totals: { total: 7080.12 } } });
      const again = (await callOf('createDocument', [body, 'order-17'])).ok;
      expect(again).toMatchObject({ replayed: true, document: first.document });
      expect((await callOf('getDocument', [first.document.id])).ok.items[0].line_total).toBe(6000.1);
      expect((await callOf('searchCustomers', [{ q: 'לקוח חדש' }])).ok.data).toHaveLength(1);
      expect((await callOf('getMe')).ok.business.id).toBe(issuer.business.id);
      const other = await callOf('createDocument', [{ ...body, notes: 'other' }, 'order-17']);
      expect(other.error).toMatchObject({ errorCode: 'idempotency_key_reused', outcomeUnknown: false });
      const mismatch = await callOf('createDocument', [invoice(100, { expected_total: 100 })]);
      expect(mismatch.error).toMatchObject({
        errorCode: 'total_mismatch',
        details: { computed_total: 118 },
      });

      const numbers = [];
      for (const price of [1, 2, 3, 4, 5]) {
        numbers.push(
          (await callOf('createDocument', [invoice(price, { type: 'quote' })])).ok.document.number,
        );
      }
      const quotes = (await callOf('documents', [{ type: 'quote', limit: 2 }])).ok;
      expect(quotes.map(({ number }: { number: number }) => number)).toEqual(numbers.reverse());
      expect((await callOf('cancelDocument', [quotes[0].id, 'demo'])).ok).toMatchObject({
        status: 'cancelled',
      });
      expect((await callOf('cancelDocument', [first.document.id])).error).toMatchObject({
        errorCode: 'use_credit_note',
        hint: expect.any(String),
      });
    });

    it('PinkasClient of PHP gets one document of each outcome that a test book provokes', async () => {
      if (!php) {
        return;
      }
      const { key } = await system().newKey(issuer.business.id, { mode: 'test' });
      const provoke = (sku: string, options: PhpCall['options'] = {}) => {
        const items = [{ description: 'Example', quantity: 1, unit_price: 10, sku }];
        return callOf('createDocument', [invoice(10, { items }), sku], options, key);
      };
      for (const sku of ['test_engine_error_after_issue', 'test_request_in_progress']) {
        const { ok } = await provoke(sku);
        expect([sku, ok.replayed, ok.response.attempts > 1]).toEqual([sku, true, true]);
      }
      // The first attempts end before the answer comes, and the document is there at last.
      const slow = await provoke('test_slow_3s', { timeoutMs: 1_000, retry: { attemptsMax: 50 } });
      expect(slow.ok.response.attempts).toBeGreaterThan(1);
      const rolledBack = await provoke('test_document_generation_failed', { retry: { attemptsMax: 2 } });
      expect(rolledBack.error).toMatchObject({
        errorCode: 'document_generation_failed',
        outcomeUnknown: false,
      });
      const failed = await provoke('test_engine_error', { retry: { attemptsMax: 1 } });
      expect(failed.error).toMatchObject({ errorCode: 'engine_error', outcomeUnknown: true });
      const { ok } = await callOf('documents', [], {}, key);
      expect(ok).toHaveLength(3);
    });
  });
}
