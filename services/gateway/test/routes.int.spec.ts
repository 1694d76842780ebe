import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cancelDocument,
  errorCatalogue,
  fingerprint,
  postDocuments,
  type RequestOf,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import {
  type Caller,
  errorCodeOf,
  type GatewayUnderTest,
  type HttpOptions,
  issuedReply,
  quote,
  startGateway,
} from './gateway.js';

/** What the gateway sends to issuing, and what it makes of errors. The HTTP API itself is tested in `test/conformance`. */
describe('routes', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  let cancelError: ApiError | undefined;
  const cancelRequests: RequestOf<typeof cancelDocument>[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(cancelDocument, (request) => {
      cancelRequests.push(request);
      if (cancelError) {
        throw cancelError;
      }
      const { items, prices_include_vat, discount, payments, title, notes, send, ...document } =
        exampleDocument({ business_id: request.business_id, type: 'quote', due_date: null });
      const state = { paid: 0, allocation_number: null, cancelled_at: '2026-06-15T09:00:00.000Z' };
      return { document, state: { ...state, status: 'cancelled' as const } };
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    // Each test has its own minute, and so its own rate limits.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    gateway.issue = async (request) => issuedReply(request);
    gateway.issued.length = 0;
    caller = await gateway.caller({ key: { per_minute: 1_000 } });
    cancelError = undefined;
    cancelRequests.length = 0;
  });

  describe('POST /documents', () => {
    it('POST /documents sends the body, the Idempotency-Key, the key and the business to issuing', async () => {
      const body = quote({ notes: 'שורה\nשנייה 😀', external_ref: 'A-1' });
      const answer = await gateway.post(caller.key.key, { body, idempotencyKey: 'order-1' });
      expect(answer.status).toBe(201);
      expect(gateway.issued).toEqual([
        {
          body,
          body_sha256: fingerprint(body).toString('hex'),
          idempotency_key: 'order-1',
          business: caller.business,
          issuer: { kind: 'key', id: caller.key.id, daily_documents: 300 },
        },
      ]);
    });

    it('POST /documents decodes an Idempotency-Key as UTF-8, and a blank one is missing', async () => {
      const hebrew = Buffer.from('א'.repeat(128), 'utf8').toString('latin1');
      expect((await gateway.post(caller.key.key, { idempotencyKey: hebrew })).status).toBe(201);
      expect(gateway.issued[0]?.idempotency_key).toBe('א'.repeat(128));
      const blank = await gateway.post(caller.key.key, { headers: { 'idempotency-key': '   ' } });
      expect(errorCodeOf(blank)).toBe('missing_idempotency_key');
    });

    it.each([
      ['test_rate_limited', 'rate_limited', 60],
      ['test_daily_limit_reached', 'daily_limit_reached', 12 * 3_600],
    ])(
      'the item %s provokes the error %s in a test book, and nothing in a live one',
      async (sku, code, most) => {
        const { key } = await gateway.caller({ key: { mode: 'test', per_minute: 1_000 } });
        const body = quote({ items: [{ description: 'שירות', quantity: 1, unit_price: 100, sku }] });
        const refused = await gateway.post(key.key, { body });
        expect([refused.status, errorCodeOf(refused)]).toEqual([429, code]);
        const seconds = Number(refused.headers.get('retry-after'));
        expect(seconds).toBeGreaterThan(0);
        expect(seconds).toBeLessThanOrEqual(most * 2);
        expect(gateway.issued).toEqual([]);
        expect((await gateway.post(caller.key.key, { body })).status).toBe(201);
      },
    );

    it('every problem that POST /documents declares is passed on with its details', async () => {
      for (const code of postDocuments.errors) {
        gateway.issue = async () => {
          throw new ApiError(code, {
            details: Object.fromEntries(errorCatalogue[code].details.map((detail) => [detail, 'x'])),
          });
        };
        const answer = await gateway.post(caller.key.key);
        expect([answer.status, errorCodeOf(answer)]).toEqual([errorCatalogue[code].httpStatus, code]);
        expect(answer.json.error.retryable).toBe(errorCatalogue[code].retryable);
        expect(Object.keys(answer.json.error.details ?? {})).toEqual([...errorCatalogue[code].details]);
      }
    });

    it('a problem that the route does not declare is an internal_error, and undeclared details are removed', async () => {
      gateway.issue = async () => {
        throw new ApiError('future_date', { details: { secret: 'table document' } });
      };
      expect((await gateway.post(caller.key.key)).text).not.toContain('secret');
      gateway.issue = async () => {
        throw new ApiError('already_cancelled');
      };
      const answer = await gateway.post(caller.key.key);
      expect([answer.status, errorCodeOf(answer)]).toEqual([500, 'internal_error']);
    });

    it('an internal_error contains nothing of its cause', async () => {
      gateway.issue = async () => {
        throw new Error('password=hunter2');
      };
      const answer = await gateway.post(caller.key.key);
      expect([answer.status, errorCodeOf(answer)]).toEqual([500, 'internal_error']);
      expect(answer.text).not.toContain('hunter2');
    });
  });

  describe('POST /documents/{id}/cancel', () => {
    const id = randomUUID();
    const cancel = (options: HttpOptions = {}) =>
      gateway.http(`/v1/documents/${id}/cancel`, { method: 'POST', key: caller.key.key, ...options });

    it.each([
      ['a reason', { body: { reason: ' טעות בהזמנה ' } }, ' טעות בהזמנה '],
      ['no body', {}, null],
      ['an empty body of type JSON', { headers: { 'content-type': 'application/json' } }, null],
      ['an empty body of another type', { headers: { 'content-type': 'text/plain' } }, null],
      ['an empty object', { body: {} }, null],
      ['a blank reason', { body: { reason: ' \n' } }, ' \n'],
    ])(
      'POST /documents/{id}/cancel with %s sends the reason as it was sent, or none',
      async (_name, options, reason) => {
        expect((await cancel(options)).status).toBe(200);
        expect(cancelRequests).toEqual([
          { business_id: caller.business.id, document_id: id, reason, key_id: caller.key.id, events: false },
        ]);
      },
    );

    it.each(cancelDocument.errors)('POST /documents/{id}/cancel passes on %s', async (code) => {
      cancelError = new ApiError(code);
      const answer = await cancel();
      expect([answer.status, errorCodeOf(answer)]).toEqual([errorCatalogue[code].httpStatus, code]);
    });
  });
});
