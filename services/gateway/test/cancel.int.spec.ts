import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CancelledDocument,
  cancelDocument,
  compile,
  errorCatalogue,
  getDocument,
  type RequestOf,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import {
  type Caller,
  errorCodeOf,
  type GatewayUnderTest,
  type HttpOptions,
  startGateway,
} from './gateway.js';

const cancelledAt = '2026-06-15T09:00:00.000Z';

describe('cancelling over HTTP', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  let document: ReturnType<typeof exampleDocument>;
  const asked: RequestOf<typeof cancelDocument>[] = [];
  let refusal: Problem | undefined;
  beforeAll(async () => {
    gateway = await startGateway();
    const requireOwn = (request: { business_id: string; document_id: string }) => {
      const own = request.business_id === document.business_id && request.document_id === document.id;
      if (!own) throw new Problem('not_found');
    };
    gateway.network.answer(getDocument, (request) => {
      requireOwn(request);
      return {
        document,
        state: { status: 'open' as const, paid: 0, allocation_number: null, cancelled_at: null },
      };
    });
    gateway.network.answer(cancelDocument, (request) => {
      asked.push(request);
      requireOwn(request);
      if (refusal) throw refusal;
      const { items, prices_include_vat, discount, payments, title, notes, send, ...head } = document;
      return {
        document: head,
        state: { status: 'cancelled' as const, paid: 0, allocation_number: null, cancelled_at: cancelledAt },
      };
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    caller = await gateway.caller({ key: { scopes: ['documents:write'] } });
    document = exampleDocument({ business_id: caller.business.id, type: 'quote', due_date: null });
    asked.length = 0;
    refusal = undefined;
  });

  const cancel = (options: HttpOptions = {}, id = document.id) =>
    gateway.http(`/v1/documents/${id}/cancel`, { method: 'POST', key: caller.key.key, ...options });
  const codeOf = async (options: HttpOptions, id?: string) => {
    const answer = await cancel(options, id);
    const code = errorCodeOf(answer);
    return [answer.status, code];
  };

  it('answers with the document, cancelled, without allocation and delivery', async () => {
    const answer = await cancel({ body: { reason: ' טעות בהזמנה ' } });
    expect(answer.status).toBe(200);
    expect(compile(CancelledDocument)(answer.json)).toMatchObject({ ok: true });
    expect(answer.json).toMatchObject({ id: document.id, status: 'cancelled', cancelled_at: cancelledAt });
    expect(asked).toEqual([
      { business_id: caller.business.id, document_id: document.id, reason: 'טעות בהזמנה' },
    ]);
  });

  it.each([
    ['no body', {}],
    ['an empty body of JSON', { headers: { 'content-type': 'application/json' } }],
    ['an empty body of another type', { headers: { 'content-type': 'text/plain' } }],
    ['an empty object', { body: {} }],
    ['a reason of white space', { body: { reason: ' \n' } }],
    ['a reason of 200 characters beyond the BMP', { body: { reason: '😀'.repeat(200) } }],
  ])('takes %s', async (_name, options) => {
    expect((await cancel(options)).status).toBe(200);
    const { body } = options as { body?: { reason?: string } };
    expect(asked[0]?.reason).toBe(body?.reason?.trim() || null);
  });

  it.each([
    ['{', 'invalid_json'],
    ['null', 'invalid_json'],
    [' ', 'invalid_json'],
    ['{"reason": null}', 'validation_error'],
    ['{"reason": 7}', 'validation_error'],
    ['{"reason": "a\\u0000"}', 'validation_error'],
    ['{"reason": "\\ud83d"}', 'validation_error'],
    [JSON.stringify({ reason: 'x'.repeat(201) }), 'validation_error'],
    ['{"cause": "x"}', 'validation_error'],
  ])('refuses the body %s of a document that exists', async (body, code) => {
    expect(await codeOf({ body })).toEqual([400, code]);
    expect(asked).toHaveLength(0);
  });

  it('finds no document before it finds faults in the body, and a body too large before either', async () => {
    const large = ' '.repeat(262_145);
    const stranger = (await gateway.caller()).key.key;
    for (const [key, id] of [
      [caller.key.key, randomUUID()],
      [stranger, document.id],
      [caller.key.key, 'no-uuid'],
      [caller.key.key, `${document.id}0`],
    ] as const) {
      for (const body of ['{', '{"cause": "x"}', '[]', undefined, '{}']) {
        expect(await codeOf({ body, key }, id)).toEqual([404, 'not_found']);
      }
      expect(await codeOf({ body: 'x', key, headers: { 'content-type': 'text/plain' } }, id)).toEqual([
        404,
        'not_found',
      ]);
      expect(await codeOf({ body: large, key }, id)).toEqual([413, 'payload_too_large']);
    }
    expect(await codeOf({ body: '{', headers: { 'content-type': 'text/plain' } })).toEqual([
      400,
      'invalid_json',
    ]);
  });

  it('takes no parameter, and no key without documents:write', async () => {
    const answer = await gateway.http(`/v1/documents/${document.id}/cancel?force=1`, {
      method: 'POST',
      key: caller.key.key,
    });
    expect(errorCodeOf(answer)).toBe('validation_error');
    const reader = await gateway.caller({ key: { scopes: ['documents:read', 'customers:read'] } });
    expect(await codeOf({ key: reader.key.key, body: '{' }, 'no-uuid')).toEqual([403, 'insufficient_scope']);
    expect(asked).toHaveLength(0);
  });

  it('is open to a business on the expenses-only track: it issues nothing', async () => {
    const expenses = await gateway.caller({ business: { track: 'expenses_only' } });
    document = exampleDocument({ business_id: expenses.business.id, type: 'quote' });
    expect((await cancel({ key: expenses.key.key })).status).toBe(200);
  });

  it.each(cancelDocument.problems)('passes on %s', async (code) => {
    refusal = new Problem(code);
    expect(await codeOf({})).toEqual([errorCatalogue[code].httpStatus, code]);
  });
});
