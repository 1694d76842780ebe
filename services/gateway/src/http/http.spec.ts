import { describe, expect, it } from '@jest/globals';
import { clientRateLimit, minuteOf, rateLimitResult, secondsToMidnightInIsrael } from './rate-limiter.js';
import { LocalCounter } from './request-counter.js';
import { apiKeyOf, headerOf, requestIdOf } from './request-headers.js';

const id = '00000000-0000-4000-8000-000000000001';

describe('headerOf', () => {
  it.each([
    [['Idempotency-Key', 'a'], 'a'],
    [['IDEMPOTENCY-KEY', 'a', 'Host', 'x', 'idempotency-key', 'a'], 'a'],
    [['Idempotency-Key', 'a, a'], 'a, a'],
    [['Idempotency-Key', '\u00a0a'], '\u00a0a'],
    [['Idempotency-Key', ''], ''],
    [['Host', 'Idempotency-Key'], ''],
    [[], ''],
    [['Idempotency-Key', 'a', 'Idempotency-Key', 'b'], undefined],
    [['Idempotency-Key', 'a', 'Idempotency-Key', 'A'], undefined],
    [['Idempotency-Key', 'a', 'Idempotency-Key', ''], undefined],
    [['Idempotency-Key', 'a', 'Idempotency-Key', 'a', 'Idempotency-Key', 'b'], undefined],
  ])('the Idempotency-Key of %j is %p', (rawHeaders, value) =>
    expect(headerOf({ rawHeaders }, 'Idempotency-Key')).toBe(value),
  );
});

describe('apiKeyOf', () => {
  it.each([
    [['Authorization', 'Bearer key'], 'key'],
    [['Authorization', 'bearer  key'], 'key'],
    [['X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Bearer key', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Bearer key', 'X-Api-Key', 'other'], ''],
    [['Authorization', 'Basic a2V5', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', 'basic', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Basicx a2V5', 'X-Api-Key', 'key'], ''],
    [['Authorization', 'Digest a2V5', 'X-Api-Key', 'key'], ''],
    [['Authorization', 'Basic a2V5', 'Authorization', 'Bearer key'], ''],
    [['Authorization', 'Bearer key', 'Authorization', 'Bearer key'], 'key'],
    [['Authorization', 'Bearer key', 'authorization', 'Bearer other'], ''],
    [['X-Api-Key', 'key', 'X-Api-Key', 'key'], 'key'],
    [['X-Api-Key', 'key', 'X-Api-Key', 'other'], ''],
    [['Authorization', 'Basic a2V5'], ''],
    [['Authorization', 'Bearer'], ''],
    [['Authorization', 'Bearer key key'], ''],
    [['Authorization', 'key'], ''],
    [['Authorization', 'key', 'X-Api-Key', 'key'], ''],
    [['Authorization', '', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', '', 'X-Api-Key', ''], ''],
    [['Cookie', 'key=key'], ''],
    [[], ''],
  ])('the API key of %j is %p', (rawHeaders, key) => expect(apiKeyOf({ rawHeaders })).toBe(key));
});

describe('requestIdOf', () => {
  it('a UUID of the caller is kept, also in two lines, and anything else is replaced', () => {
    expect(requestIdOf({ rawHeaders: ['X-Request-Id', id, 'x-request-id', id] })).toBe(id);
    expect(requestIdOf({ rawHeaders: ['X-Request-Id', id, 'X-Request-Id', 'mine'] })).not.toBe(id);
  });
});

describe('secondsToMidnightInIsrael', () => {
  it.each([
    ['2026-06-15T20:59:59.500Z', 1],
    ['2026-06-15T21:00:00.000Z', 24 * 3600],
    ['2026-01-15T21:59:00.000Z', 60],
    ['2026-01-15T22:00:00.000Z', 24 * 3600],
  ])('the next day in Israel after %s begins in %d seconds', (now, seconds) =>
    expect(secondsToMidnightInIsrael(new Date(now))).toBe(seconds),
  );

  it('a day of 23 or 25 hours is counted as such when the clocks change', () => {
    expect(secondsToMidnightInIsrael(new Date('2026-03-26T22:00:00.000Z'))).toBe(23 * 3600);
    expect(secondsToMidnightInIsrael(new Date('2026-10-24T21:00:00.000Z'))).toBe(25 * 3600);
  });
});

describe('LocalCounter', () => {
  it('the local count follows Redis, which also counts the requests of other gateways', () => {
    const counter = new LocalCounter();
    expect(counter.increment('key:1', 7, 1)).toBe(1);
    expect(counter.increment('key:1', 7, 9)).toBe(9);
  });

  it('the local count continues from that of Redis when Redis is unreachable, and when it comes back empty', () => {
    const counter = new LocalCounter();
    counter.increment('key:1', 7, 41);
    expect(counter.increment('key:1', 7, null)).toBe(42);
    expect(counter.increment('key:1', 7, 1)).toBe(43);
  });

  it('the local count restarts with every minute', () => {
    const counter = new LocalCounter();
    counter.increment('key:1', 7, null);
    expect(counter.increment('key:1', 8, null)).toBe(1);
  });

  it('a flood of new addresses shares one local count', () => {
    const counter = new LocalCounter();
    for (let index = 0; index < 20_000; index += 1) {
      counter.increment(`address:${index}`, 7, null);
    }
    expect(counter.increment('address:new', 7, null)).toBe(1);
    expect(counter.increment('address:newer', 7, null)).toBe(2);
    expect(counter.increment('address:newest', 7, 1)).toBe(1);
    expect(counter.increment('address:0', 7, null)).toBe(2);
  });
});

describe('rateLimitResult', () => {
  const limit = { id: 'key:1', perMinute: 2 };

  it('the last request within a rate limit is allowed and the next one is not', () => {
    const now = new Date('2026-06-15T08:00:00.000Z');
    expect(rateLimitResult(limit, 2, now)).toEqual({
      allowed: true,
      limit: 2,
      remaining: 0,
      resetSeconds: 60,
    });
    expect(rateLimitResult(limit, 3, now)).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('a rate limit resets with the wall-clock minute, in whole seconds and never in 0', () => {
    expect(rateLimitResult(limit, 1, new Date('2026-06-15T08:00:59.999Z')).resetSeconds).toBe(1);
    expect(minuteOf(new Date('2026-06-15T08:01:00.000Z'))).toBe(
      minuteOf(new Date('2026-06-15T08:00:59.999Z')) + 1,
    );
  });
});

describe('clientRateLimit', () => {
  it('all addresses of an IPv6 /64 share one rate limit, however they are written', () => {
    const id = clientRateLimit('2001:db8::1').id;
    expect(clientRateLimit('2001:0db8:0:0:ffff::2').id).toBe(id);
    expect(clientRateLimit('2001:db8:0:1::1').id).not.toBe(id);
    expect(clientRateLimit('::1').id).toBe('address:0:0:0:0::/64');
  });

  it('an IPv4 address has one rate limit, also when it is mapped into IPv6', () => {
    expect(clientRateLimit('::ffff:192.0.2.7').id).toBe(clientRateLimit('192.0.2.7').id);
    expect(clientRateLimit('192.0.2.8').id).not.toBe(clientRateLimit('192.0.2.7').id);
  });
});
