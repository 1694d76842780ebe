import { describe, expect, it } from '@jest/globals';
import { addressRateLimit, minuteOf, rateLimitResult } from './rate-limiter.js';

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

describe('addressRateLimit', () => {
  it('all addresses of an IPv6 /64 share one rate limit, however they are written', () => {
    const id = addressRateLimit('2001:db8::1').id;
    expect(addressRateLimit('2001:0db8:0:0:ffff::2').id).toBe(id);
    expect(addressRateLimit('2001:db8:0:1::1').id).not.toBe(id);
    expect(addressRateLimit('::1').id).toBe('address:0:0:0:0::/64');
  });

  it('an IPv4 address has one rate limit, also when it is mapped into IPv6', () => {
    expect(addressRateLimit('::ffff:192.0.2.7').id).toBe(addressRateLimit('192.0.2.7').id);
    expect(addressRateLimit('192.0.2.8').id).not.toBe(addressRateLimit('192.0.2.7').id);
  });
});
