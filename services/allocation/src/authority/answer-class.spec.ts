import { describe, expect, it } from '@jest/globals';
import { answerClass, classOfStatus } from './answer-class.js';
import type { TryOutcome } from './tax-authority.js';

const refused = (...codes: string[]): TryOutcome => ({ kind: 'refused', codes, words: 'no', answer: '{}' });

describe('the class of an answer', () => {
  it('of a number is one for all numbers', () => {
    const granted = { kind: 'granted', confirmationNumber: '1234567890', number: '234567890', answer: '' };
    expect(answerClass(granted as TryOutcome)).toBe('approved');
  });

  it('of a refusal is the hundred of its first code', () => {
    expect(answerClass(refused('460', '999'))).toBe('code_4xx');
    expect(answerClass(refused('101'))).toBe('code_1xx');
  });

  it('stays one of few words, whatever the authority writes for a code', () => {
    for (const code of ['4600', '046', 'abc', '514713288', '4x1']) {
      expect(answerClass(refused(code))).toBe('code_other');
    }
    expect(answerClass(refused())).toBe('no_code');
  });

  it('of no decision is why there is none', () => {
    expect([200, 302, 400, 429, 500, 503].map(classOfStatus)).toEqual([
      'http_other',
      'http_other',
      'http_4xx',
      'http_4xx',
      'http_5xx',
      'http_5xx',
    ]);
  });
});
