import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { businessOfBook, isTestBook, provokedOutcomes, testBookOf } from './test-mode.js';

describe('testBookOf', () => {
  it('the id of a test book leads back to its business, and is never that of a business', () => {
    const business = randomUUID();
    const book = testBookOf(business);
    expect([isTestBook(business), isTestBook(book)]).toEqual([false, true]);
    expect(book).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([businessOfBook(book), businessOfBook(business)]).toEqual([business, business]);
  });
});

describe('provokedOutcomes', () => {
  const items = [
    { sku: 'A-1' },
    { sku: 'test_engine_error' },
    { sku: null },
    {},
    { sku: 'test_slow_3s' },
    { sku: 'test_request_in_progress' },
    { sku: 'constructor' },
  ];

  it('the first item of each kind provokes its outcome in a test book', () => {
    expect(provokedOutcomes(testBookOf(randomUUID()), { items })).toEqual({
      error: 'engine_error',
      delaySeconds: 3,
    });
  });

  it('a live book provokes nothing', () => expect(provokedOutcomes(randomUUID(), { items })).toEqual({}));
});
