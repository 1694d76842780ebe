import { describe, expect, it } from '@jest/globals';
import { LocalCounter } from './request-counter.js';

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
