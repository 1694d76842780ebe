import { describe, expect, it } from '@jest/globals';
import { answerClass, classOfStatus } from './answer-class.js';
import type { AttemptOutcome } from './attempt-outcome.js';

const refused = (...codes: string[]): AttemptOutcome => ({
  kind: 'refused',
  codes,
  message: 'no',
  answer: '{}',
});

describe('answerClass', () => {
  it('answerClass is one value for every number', () => {
    const granted = { kind: 'granted', confirmationNumber: '1234567890', number: '234567890', answer: '' };
    expect(answerClass(granted as AttemptOutcome)).toBe('approved');
  });

  it('answerClass of a refusal is the hundreds digit of its first code', () => {
    expect(answerClass(refused('460', '999'))).toBe('code_4xx');
    expect(answerClass(refused('101'))).toBe('code_1xx');
  });

  it('answerClass has few values whatever code the authority returns', () => {
    for (const code of ['4600', '046', 'abc', '514713288', '4x1']) {
      expect(answerClass(refused(code))).toBe('code_other');
    }
    expect(answerClass(refused())).toBe('no_code');
  });

  it('answerClass of a failure is its class', () => {
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
