import { afterEach, expect, it, jest } from '@jest/globals';
import { timeOrderedId } from './time-ordered-id.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it('an id is a UUID of version 7, different each time, that sorts by the millisecond in which it was made', () => {
  const now = jest.spyOn(Date, 'now');
  // The example of RFC 9562, A.6.
  const atMs = 0x017f22e279b0;
  const ids = [0, 1, 1_000, 86_400_000].map((ms) => {
    now.mockReturnValue(atMs + ms);
    return timeOrderedId();
  });
  expect(ids[0]).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(Array.from({ length: 1_000 }, timeOrderedId)).size).toBe(1_000);
});
