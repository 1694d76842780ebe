import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../logger.js';
import { Metrics } from '../metrics.js';
import { Problem } from '../problem.js';
import { Tracing } from '../tracing/tracing.js';
import { Admission } from './operation.js';
import { outcomeOf } from './request-metrics.js';

describe('a process that is full', () => {
  it('refuses at once, and counts what it has refused', async () => {
    const metrics = new Metrics();
    const admission = new Admission(1, createLogger('test', 'silent'), metrics, Tracing.off);
    let end = () => {};
    const held = admission.admit(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    await expect(admission.admit(async () => {})).rejects.toMatchObject({ code: 'engine_error' });
    expect(await metrics.text()).toMatch(/^pinkas_requests_turned_away_total 1$/m);
    end();
    await held;
    await expect(admission.admit(async () => 7)).resolves.toBe(7);
    expect(await metrics.text()).toMatch(/^pinkas_requests_turned_away_total 1$/m);
  });
});

describe('the class of a refusal', () => {
  it('tells the fault of the caller from what passes, and both from a fault of ours', () => {
    const classOf = (code: ConstructorParameters<typeof Problem>[0]) => outcomeOf(new Problem(code));
    expect(classOf('validation_error')).toBe('refused');
    expect(classOf('rate_limited')).toBe('refused');
    expect(classOf('engine_error')).toBe('unavailable');
    expect(classOf('document_generation_failed')).toBe('unavailable');
    expect(classOf('internal_error')).toBe('failed');
  });
});
