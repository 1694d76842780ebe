import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { outcomeOf } from './request-metrics.js';

describe('outcomeOf', () => {
  it('outcomeOf distinguishes errors of the caller, transient errors and errors of the service', () => {
    const outcome = (code: ConstructorParameters<typeof ApiError>[0]) => outcomeOf(new ApiError(code));
    expect(outcome('validation_error')).toBe('refused');
    expect(outcome('rate_limited')).toBe('refused');
    expect(outcome('engine_error')).toBe('unavailable');
    expect(outcome('document_generation_failed')).toBe('unavailable');
    expect(outcome('internal_error')).toBe('failed');
  });
});
