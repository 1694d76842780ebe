import { describe, expect, it } from '@jest/globals';
import { getUsage } from '@pinkas/contracts';
import { ConcurrencyLimiter } from '../concurrency/concurrency-limiter.js';
import { createLogger } from '../process/logger.js';
import { Metrics } from '../process/metrics.js';
import { Tracing } from '../tracing/tracing.js';
import { ContractHandler } from './contract-handler.js';
import { decode, encode } from './payload.js';
import { RequestMetrics } from './request-metrics.js';

function handlerOf(handle: () => Promise<unknown>, inFlightMax = 1) {
  const metrics = new Metrics();
  const limiter: ConcurrencyLimiter = new ConcurrencyLimiter(inFlightMax, () => requestMetrics.rejected());
  const requestMetrics = new RequestMetrics(metrics, () => limiter.inFlight);
  const parts = {
    limiter,
    metrics: requestMetrics,
    tracing: Tracing.off,
    logger: createLogger('test', 'silent'),
  };
  return { metrics, handler: new ContractHandler(getUsage, { handle } as never, parts) };
}

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const request = encode({ business_id: id, key_id: id });

describe('ContractHandler', () => {
  it('a reply contains only the members of the reply schema', async () => {
    const { handler } = handlerOf(async () => ({ used_today: 7, more: true }));
    const { data, headers } = await handler.reply(request, undefined);
    expect(decode(data)).toEqual({ used_today: 7 });
    expect(headers).toBeUndefined();
  });

  it('a malformed request is a validation_error and does not reach the operation', async () => {
    const { handler } = handlerOf(async () => {
      throw new Error('reached');
    });
    const { data, headers } = await handler.reply(encode({ business_id: 1 }), undefined);
    expect(decode(data)).toMatchObject({ code: 'validation_error' });
    expect(headers?.get('Nats-Service-Error')).toBe('validation_error');
  });

  it('an unexpected error becomes internal_error', async () => {
    const { handler } = handlerOf(async () => {
      throw new TypeError('x is not a function');
    });
    expect(decode((await handler.reply(request, undefined)).data)).toEqual({ code: 'internal_error' });
  });

  it('a request beyond the concurrency limit is rejected at once and counted', async () => {
    let finish = () => {};
    const { handler, metrics } = handlerOf(
      () =>
        new Promise((resolve) => {
          finish = () => resolve({ used_today: 1 });
        }),
    );
    const first = handler.reply(request, undefined);
    expect(decode((await handler.reply(request, undefined)).data)).toMatchObject({ code: 'engine_error' });
    expect(await metrics.text()).toMatch(/^pinkas_requests_rejected_total 1$/m);
    finish();
    expect(decode((await first).data)).toEqual({ used_today: 1 });
  });
});
