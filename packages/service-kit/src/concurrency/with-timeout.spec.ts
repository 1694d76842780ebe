import { describe, expect, it } from '@jest/globals';
import { withTimeout } from './with-timeout.js';

const never = new Promise<string>(() => {});

describe('withTimeout', () => {
  it('withTimeout resolves with the value of work that ends in time', async () => {
    await expect(withTimeout(Promise.resolve('done'), 10_000, () => 'late')).resolves.toBe('done');
  });

  it('withTimeout resolves with the substitute after the timeout', async () => {
    await expect(withTimeout(never, 1, () => null)).resolves.toBeNull();
  });

  it('withTimeout rejects with what onTimeout throws', async () => {
    const expire = () => {
      throw new Error('too late');
    };
    await expect(withTimeout(never, 1, expire)).rejects.toThrow('too late');
  });

  it('withTimeout rejects with the error of the work', async () => {
    await expect(withTimeout(Promise.reject(new Error('broken')), 10_000, () => null)).rejects.toThrow(
      'broken',
    );
  });

  it('an error of the work after the timeout is dropped', async () => {
    let fail = (_error: Error) => {};
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    await withTimeout(work, 1, () => null);
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
