import { describe, expect, it } from '@jest/globals';
import { statusFailure } from './status-failure.js';

describe('statusFailure', () => {
  it.each([500, 502, 503, 504, 404, 429, 405, 302, 204])('statusFailure retries status %d', (status) => {
    expect(statusFailure(status, '')).toEqual({
      reason: `The tax authority answered with HTTP status ${status}.`,
      retryable: true,
      awaitsConnection: false,
    });
  });

  it.each([
    [400, 'has to be corrected'],
    [422, 'has to be corrected'],
    [403, 'has to be subscribed'],
    [406, 'must connect the business'],
  ])('statusFailure does not retry status %d and says what to do', (status, words) => {
    const failure = statusFailure(status, '{}');
    expect(failure).toMatchObject({ retryable: false, awaitsConnection: status === 406 });
    expect(failure.reason).toContain(`HTTP status ${status}`);
    expect(failure.reason).toContain(words);
  });

  it('statusFailure names the invalid fields and never their contents', () => {
    const body = JSON.stringify({
      message: {
        errors: [
          { code: 422, message: 'customer 777777723 is wrong', param: 'customer_vat_number' },
          { code: 422, message: 'x', param: 'items[0].quantity' },
          { code: 422, message: 'x', param: 'the customer Example Ltd' },
        ],
      },
    });
    expect(statusFailure(422, body).reason).toContain(
      '(HTTP status 422: customer_vat_number, items[0].quantity)',
    );
  });
});
