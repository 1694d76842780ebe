import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { IssuedDocument } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { testAnswer } from './test-answer.js';

const documentWith = (sku: string | null): IssuedDocument =>
  ({ id: randomUUID(), business_id: testBookOf(randomUUID()), items: [{ sku }] }) as IssuedDocument;

describe('testAnswer', () => {
  it('a document of a test book has the same nine digits at every attempt, in no number of the authority', () => {
    const document = documentWith(null);
    const answer = testAnswer(document, 1);
    expect(answer).toMatchObject({
      kind: 'granted',
      number: expect.stringMatching(/^[0-9]{9}$/),
      confirmationNumber: expect.stringMatching(/^test-[0-9a-f-]{36}-[0-9]{9}$/),
    });
    expect(testAnswer(document, 2)).toEqual(answer);
  });

  it('an item provokes that no number comes, or that it comes with the second attempt', () => {
    expect(testAnswer(documentWith('test_allocation_failed'), 1).kind).toBe('refused');
    const late = documentWith('test_allocation_late');
    expect([1, 2].map((attempts) => testAnswer(late, attempts).kind)).toEqual(['failed', 'granted']);
  });
});
