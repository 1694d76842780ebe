import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scrape } from '@pinkas/testkit';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('the figures of issuing', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing();
  });
  afterAll(() => issuing.stop());

  const counted = async (outcome: string, type = 'tax_invoice') =>
    (await scrape(issuing.service)).get(`pinkas_documents_total{type="${type}",outcome="${outcome}"}`);
  const locks = async () => (await scrape(issuing.service)).get('pinkas_number_lock_seconds_count') ?? 0;

  it('tell of each type what was issued, replayed and refused, and why', async () => {
    const key = randomUUID();
    await issuing.issue({}, key);
    await issuing.issue({}, key);
    await issuing.issue({ type: 'quote' });
    await expect(issuing.issue({ expected_total: 1 })).rejects.toMatchObject({ code: 'total_mismatch' });
    issuing.render = () => Promise.reject(new Error('no paper'));
    await expect(issuing.issue()).rejects.toMatchObject({ code: 'document_generation_failed' });
    issuing.render = async () => {};
    expect(await Promise.all(['issued', 'replayed', 'total_mismatch'].map((one) => counted(one)))).toEqual([
      1, 1, 1,
    ]);
    expect(await counted('document_generation_failed')).toBe(1);
    expect(await counted('issued', 'quote')).toBe(1);
  });

  it('tell how long a number was locked, also where it was not used', async () => {
    const before = await locks();
    const key = randomUUID();
    await issuing.issue({}, key);
    expect(await locks()).toBe(before + 1);
    // Neither a replay nor a refusal before the number takes the lock.
    await issuing.issue({}, key);
    await expect(issuing.issue({ expected_total: 1 })).rejects.toThrow();
    expect(await locks()).toBe(before + 1);
    issuing.render = () => Promise.reject(new Error('no paper'));
    await expect(issuing.issue()).rejects.toThrow();
    issuing.render = async () => {};
    expect(await locks()).toBe(before + 2);
  });
});
