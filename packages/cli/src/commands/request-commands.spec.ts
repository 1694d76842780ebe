import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type FullRequest, showRequest } from '@pinkas/contracts';
import { notFound, run } from '../../test/run.js';

const id = randomUUID();
const request: FullRequest = {
  id: randomUUID(),
  request_id: id,
  business_id: randomUUID(),
  key_id: randomUUID(),
  timestamp: '2026-03-01T08:00:00.000Z',
  method: 'POST',
  route: '/documents',
  status: 400,
  code: 'validation_error',
  idempotency_key: 'order-1',
  replayed: false,
  document_id: null,
  duration_ms: 4,
  errors: [
    { path: '/items/0/quantity', message: 'must be above 0', message_he: 'חייב להיות מעל 0' },
    { path: '/customer/name', message: 'is required', message_he: 'שדה חובה' },
    { path: '/query/page', message: 'is not a known parameter', message_he: 'לא מוכר' },
  ],
  body: JSON.stringify({ customer: { email: '***' }, items: [{ quantity: 0, sku: 'a\u202eb\u009b' }] }),
  body_truncated: false,
  details: { computed_total: 118 },
};

describe('pinkas request', () => {
  it('request show prints how it was answered, and each error at the line of its value', async () => {
    const { output, requests } = run(
      'request show',
      { ID: id },
      { [showRequest.subject]: () => ({ requests: [request] }) },
    );
    const { text, json } = await output;
    expect(requests).toEqual([[showRequest.subject, { request_id: id }]]);
    expect(json).toEqual([request]);
    expect(text.split('\n')).toEqual([
      '2026-03-01T08:00:00.000Z  POST /documents  400 validation_error  4 ms',
      `business ${request.business_id} (live book), key ${request.key_id}`,
      'Idempotency-Key order-1',
      '/items/0/quantity must be above 0',
      '/customer/name is required',
      '/query/page is not a known parameter',
      'computed_total 118',
      '{',
      '  "customer": {    <-- is required',
      '    "email": "***"',
      '  },',
      '  "items": [',
      '    {',
      '      "quantity": 0,    <-- must be above 0',
      // What would move other letters, or command a terminal, is seen.
      '      "sku": "a\\u202eb\\u009b"',
      '    }',
      '  ]',
      '}',
    ]);
  });

  it('an id that no request has is a refusal, and a text that is no id a usage error', async () => {
    await expect(run('request show', { ID: id }, { [showRequest.subject]: notFound }).output).rejects.toThrow(
      `No request of a key has the id ${id}`,
    );
    await expect(run('request show', { ID: 'none' }).output).rejects.toThrow('"none" is not a UUID');
  });
});
