import { describe, expect, it } from '@jest/globals';
import { Problem } from '@pinkas/service-kit/asking';
import { refusalLine } from './refusal.js';

describe('a refusal', () => {
  it('is one line that names every fault where the operator wrote it', () => {
    const problem = Problem.invalid([
      { path: '/business/vat_rate', message: 'must be number' },
      { path: '/change/auto_send/channel', message: 'must be one\nof these' },
      { path: '/business', message: 'must be object' },
    ]);
    expect(refusalLine(problem)).toBe(
      'Correct these and try again: /vat_rate must be number; /auto_send/channel must be one of these; / must be object',
    );
  });
});
