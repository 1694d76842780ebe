import { describe, expect, it } from '@jest/globals';
import { LocalCounter } from './local-counter.js';

describe('counting in memory', () => {
  it('agrees with Redis, which sees the other gateways as well', () => {
    const counter = new LocalCounter();
    expect(counter.increment('key:1', 7, 1)).toBe(1);
    expect(counter.increment('key:1', 7, 9)).toBe(9);
  });

  it('goes on from what Redis had counted when Redis goes away, and when it comes back empty', () => {
    const counter = new LocalCounter();
    counter.increment('key:1', 7, 41);
    expect(counter.increment('key:1', 7, null)).toBe(42);
    expect(counter.increment('key:1', 7, 1)).toBe(43);
  });

  it('starts anew with every minute', () => {
    const counter = new LocalCounter();
    counter.increment('key:1', 7, null);
    expect(counter.increment('key:1', 8, null)).toBe(1);
  });

  it('counts a flood of new spenders together instead of remembering each', () => {
    const counter = new LocalCounter();
    for (let index = 0; index < 20_000; index += 1) counter.increment(`address:${index}`, 7, null);
    expect(counter.increment('address:new', 7, null)).toBe(1);
    expect(counter.increment('address:newer', 7, null)).toBe(2);
    expect(counter.increment('address:newest', 7, 1)).toBe(1);
    expect(counter.increment('address:0', 7, null)).toBe(2);
  });
});
