import { describe, expect, it } from '@jest/globals';
import { ServerNats } from '@nestjs/microservices';
import { getDocument, getUsage, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import pg from 'pg';
import { ConcurrencyLimiter } from '../concurrency/concurrency-limiter.js';
import { QueueFullError } from '../concurrency/queue-full-error.js';
import { ApiError } from '../process/api-error.js';
import { createLogger } from '../process/logger.js';
import { Metrics } from '../process/metrics.js';
import { Tracing } from '../tracing/tracing.js';
import { ContractHandler } from './contract-handler.js';
import { contractsOf, handlersOf, Operation } from './operation.js';
import { decode, encode } from './payload.js';
import { outcomeOf, RequestMetrics } from './request-metrics.js';
import { subscriptionsOf } from './server.js';
import { toApiError } from './to-api-error.js';

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const request = encode({ business_id: id, key_id: id });
const databaseError = (code: string, severity = 'ERROR') =>
  Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code, severity });

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
  return { metrics, handler: new ContractHandler(getUsage, handle, parts) };
}

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

describe('Operation', () => {
  class UsageOperations {
    constructor(private readonly usedToday: number) {}

    @Operation(getUsage)
    async get(_request: RequestOf<typeof getUsage>): Promise<ReplyOf<typeof getUsage>> {
      return { used_today: this.usedToday };
    }
  }

  it('the contracts of a class are those of its methods and of the class that it extends', () => {
    class MoreOperations extends UsageOperations {
      @Operation(getDocument)
      more(): Promise<never> {
        return Promise.reject(new Error('more'));
      }
    }
    expect(contractsOf(UsageOperations)).toEqual([getUsage]);
    expect(contractsOf(MoreOperations)).toEqual([getUsage, getDocument]);
    expect(contractsOf(class {})).toEqual([]);
  });

  it('the handler of a contract is the method of the instance', async () => {
    const [operation] = handlersOf(new UsageOperations(3));
    expect(operation?.contract).toBe(getUsage);
    expect(await operation?.handle({ business_id: id, key_id: id })).toEqual({ used_today: 3 });
  });

  it('a method whose request or reply does not fit its contract does not compile', () => {
    class Unfit {
      // @ts-expect-error the contract sends no month.
      @Operation(getUsage)
      async request(_request: { business_id: string; month: string }): Promise<ReplyOf<typeof getUsage>> {
        return { used_today: 1 };
      }

      // @ts-expect-error the contract promises a number.
      @Operation(getUsage)
      async reply(_request: RequestOf<typeof getUsage>): Promise<{ used_today: string }> {
        return { used_today: '1' };
      }
    }
    expect(contractsOf(Unfit)).toHaveLength(2);
  });
});

describe('outcomeOf', () => {
  it('outcomeOf distinguishes errors of the caller, transient errors and errors of the service', () => {
    const outcome = (code: ConstructorParameters<typeof ApiError>[0]) => outcomeOf(new ApiError(code));
    expect(outcome('validation_error')).toBe('refused');
    expect(outcome('rate_limited')).toBe('refused');
    expect(outcome('engine_error')).toBe('unavailable');
    expect(outcome('document_generation_failed')).toBe('unavailable');
    expect(outcome('internal_error')).toBe('failed');
  });
});

describe('subscriptionsOf', () => {
  it('ServerNats of the installed Nest has the private field that the contract server drains', () => {
    expect(subscriptionsOf(new ServerNats({}))).toEqual([]);
  });
});

describe('toApiError', () => {
  it('toApiError returns an ApiError as it is', () => {
    const apiError = new ApiError('not_found');
    expect(toApiError(apiError)).toBe(apiError);
  });

  it.each([
    ['a lock timeout', databaseError('55P03')],
    ['a deadlock', databaseError('40P01')],
    ['a database that shuts down', databaseError('57P01')],
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    [
      'a rollback on a lost connection',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['a full disk', databaseError('53100')],
    ['a full disk at the begin of a session', databaseError('XX000', 'FATAL')],
    ['a full queue', new QueueFullError()],
    ['a timeout', AbortSignal.abort(new DOMException('late', 'TimeoutError')).reason],
  ])('toApiError maps %s to engine_error', (_what, error) => {
    const apiError = toApiError(error);
    expect(apiError).toMatchObject({ code: 'engine_error', cause: error });
  });

  it.each([
    ['a violated constraint', databaseError('23505')],
    ['a missing permission', databaseError('42501')],
    ['a defect of PostgreSQL', databaseError('XX000')],
    ['a programming error', new TypeError('x is not a function')],
    ['a call that its caller aborted', new DOMException('aborted', 'AbortError')],
  ])('toApiError maps %s to internal_error', (_what, error) => {
    expect(toApiError(error)).toMatchObject({ code: 'internal_error', cause: error });
  });
});
