import { describe, expect, it } from '@jest/globals';
import { addressBudget, allowanceOf, minuteOf } from './budget.js';

describe('the budget of a minute', () => {
  const budget = { id: 'key:1', perMinute: 2 };

  it('is spent by the last allowed request, and refuses the next', () => {
    const now = new Date('2026-06-15T08:00:00.000Z');
    expect(allowanceOf(budget, 2, now)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 60 });
    expect(allowanceOf(budget, 3, now)).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('resets with the minute of the clock on the wall, in whole seconds and never in none', () => {
    expect(allowanceOf(budget, 1, new Date('2026-06-15T08:00:59.999Z')).resetSeconds).toBe(1);
    expect(minuteOf(new Date('2026-06-15T08:01:00.000Z'))).toBe(
      minuteOf(new Date('2026-06-15T08:00:59.999Z')) + 1,
    );
  });
});

describe('the budget of an address', () => {
  it('is one for a whole IPv6 /64, however it is written', () => {
    const id = addressBudget('2001:db8::1').id;
    expect(addressBudget('2001:0db8:0:0:ffff::2').id).toBe(id);
    expect(addressBudget('2001:db8:0:1::1').id).not.toBe(id);
    expect(addressBudget('::1').id).toBe('address:0:0:0:0::/64');
  });

  it('is one for an IPv4 address, also where IPv6 carries it', () => {
    expect(addressBudget('::ffff:192.0.2.7').id).toBe(addressBudget('192.0.2.7').id);
    expect(addressBudget('192.0.2.8').id).not.toBe(addressBudget('192.0.2.7').id);
  });
});
