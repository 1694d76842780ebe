import { describe, expect, it } from '@jest/globals';
import { carrierOf, readCarrier } from './trace-carrier.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;

describe('the trace that a message names', () => {
  it('is read and written as W3C has it', () => {
    const read = readCarrier({ traceparent, tracestate: 'vendor=one,other=two' });
    expect(read).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(read && carrierOf(read)).toEqual({ traceparent, tracestate: 'vendor=one,other=two' });
  });

  it('says whether it is recorded', () => {
    const read = readCarrier({ traceparent: `00-${traceId}-${spanId}-00` });
    expect(read?.traceFlags).toBe(0);
    expect(read && carrierOf(read)?.traceparent).toMatch(/-00$/);
  });

  it('is read of a later version as far as it is known', () => {
    expect(readCarrier({ traceparent: `42-${traceId}-${spanId}-ff-what.comes` })).toMatchObject({
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
    expect(readCarrier({ traceparent: given })).toBeUndefined();
  });

  it('loses a tracestate that is malformed or too long, and nothing else', () => {
    for (const tracestate of ['no pairs', `a=${'x'.repeat(600)}`]) {
      const read = readCarrier({ traceparent, tracestate });
      expect(read && carrierOf(read)).toEqual({ traceparent });
    }
    expect(readCarrier(null)).toBeUndefined();
  });
});
