import { describe, expect, it } from '@jest/globals';
import { logContextOf } from './log-context-of.js';
import { parseTraceHeaders, traceHeadersOf } from './trace-headers.js';

const business = '11111111-1111-4111-8111-111111111111';
const document = '22222222-2222-4222-8222-222222222222';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;

describe('what a message is about', () => {
  it.each([
    [
      { business_id: business, document_id: document },
      { business_id: business, document_id: document },
    ],
    [{ document: { id: document, business_id: business } }, { business_id: business, document_id: document }],
    [
      { business: { id: business }, body: {} },
      { business_id: business, document_id: undefined },
    ],
    [{ id: document }, { business_id: undefined, document_id: undefined }],
    ['rubbish', { business_id: undefined, document_id: undefined }],
    [null, { business_id: undefined, document_id: undefined }],
  ])('the log context is found in %j', (value, subject) => expect(logContextOf(value)).toEqual(subject));

  it('the log context contains ids only, whatever the message contains', () => {
    expect(logContextOf({ business_id: 'customer@example.com', document_id: 7 })).toEqual({
      business_id: undefined,
      document_id: undefined,
    });
  });
});

describe('the trace that a message names', () => {
  it('trace headers are read and written in the W3C format', () => {
    const read = parseTraceHeaders({ traceparent, tracestate: 'vendor=one,other=two' });
    expect(read).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(read && traceHeadersOf(read)).toEqual({ traceparent, tracestate: 'vendor=one,other=two' });
  });

  it('the sampled flag is read and written', () => {
    const read = parseTraceHeaders({ traceparent: `00-${traceId}-${spanId}-00` });
    expect(read?.traceFlags).toBe(0);
    expect(read && traceHeadersOf(read)?.traceparent).toMatch(/-00$/);
  });

  it('trace headers of a later version are read as far as they are known', () => {
    expect(parseTraceHeaders({ traceparent: `42-${traceId}-${spanId}-ff-what.comes` })).toMatchObject({
      traceId,
      traceFlags: 1,
    });
  });

  it.each([
    undefined,
    '',
    'rubbish',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}`,
    `${traceparent}, ${traceparent}`,
  ])('is none where it is malformed: %s', (given) => {
    expect(parseTraceHeaders({ traceparent: given })).toBeUndefined();
  });

  it('a malformed or too long tracestate is dropped alone', () => {
    for (const tracestate of ['no pairs', `a=${'x'.repeat(600)}`]) {
      const read = parseTraceHeaders({ traceparent, tracestate });
      expect(read && traceHeadersOf(read)).toEqual({ traceparent });
    }
    expect(parseTraceHeaders(null)).toBeUndefined();
  });
});
