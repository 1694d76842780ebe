import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@pinkas/service-kit/client';
import { errorLine } from './usage-error.js';

describe('errorLine', () => {
  it('an error line names every validation error with its path in the settings file', () => {
    const apiError = ApiError.invalid([
      { path: '/business/vat_rate', message: 'must be number' },
      { path: '/change/auto_send/channel', message: 'must be one\nof these' },
      { path: '/business', message: 'must be object' },
    ]);
    expect(errorLine(apiError)).toBe(
      'Correct these and try again: /vat_rate must be number; /auto_send/channel must be one of these; / must be object',
    );
  });
});
