import { describe, expect, it } from '@jest/globals';
import { retryTransition } from './retry-policy.js';

const now = new Date('2026-06-15T08:00:00Z');
const first = { attempts: 1, earlier_attempts: 0, first_attempt_at: now, settled_at: null };
const later = { attempts: 3, earlier_attempts: 0, first_attempt_at: now, settled_at: now };
const failure = {
  kind: 'failed',
  failure: 'time_out',
  reason: 'No answer.',
  retryable: true,
  awaitsConnection: false,
  answer: null,
  outcomeUnknown: true,
} as const;
const granted = {
  kind: 'granted',
  confirmationNumber: '20240627231846297178091822',
  number: '178091822',
  answer: '{}',
} as const;

describe('retryTransition', () => {
  it('retryTransition publishes the first failure and repeats the attempt', () => {
    expect(retryTransition(first, failure, now)).toMatchObject({
      state: 'pending',
      nextAttemptAt: new Date('2026-06-15T08:00:05Z'),
      outcome: { status: 'failed', number: null, reason: 'No answer.' },
    });
  });

  it('retryTransition does not publish a repeated failure', () => {
    expect(retryTransition(later, failure, now)).toMatchObject({ state: 'pending', outcome: null });
  });

  it('retryTransition dead-letters after a day, keeps the reason and publishes it', () => {
    const dayLater = new Date(now.getTime() + 24 * 3_600_000);
    expect(retryTransition({ ...later, attempts: 27 }, failure, dayLater)).toMatchObject({
      state: 'dead_lettered',
      reason: 'No answer.',
      nextAttemptAt: null,
      outcome: { status: 'failed', number: null, reason: 'No answer.' },
    });
  });

  it('retryTransition uses the first pauses again after the schedule restarted', () => {
    const restarted = { ...later, attempts: 28, earlier_attempts: 27 };
    expect(retryTransition(restarted, failure, now)).toMatchObject({
      state: 'pending',
      nextAttemptAt: new Date('2026-06-15T08:00:05Z'),
    });
  });

  it('retryTransition dead-letters at once what cannot succeed, and publishes it, whatever was published before', () => {
    const hopeless = { ...failure, retryable: false };
    for (const before of [first, later]) {
      expect(retryTransition(before, hopeless, now)).toMatchObject({
        state: 'dead_lettered',
        nextAttemptAt: null,
        outcome: { status: 'failed', reason: 'No answer.' },
      });
    }
  });

  it('retryTransition publishes a granted number whatever was published before', () => {
    for (const before of [first, later]) {
      expect(retryTransition(before, granted, now)).toEqual({
        state: 'issued',
        reason: null,
        number: '178091822',
        confirmationNumber: '20240627231846297178091822',
        nextAttemptAt: null,
        outcome: { status: 'issued', number: '178091822', reason: null },
      });
    }
  });

  it("retryTransition makes a refusal final with the authority's reason", () => {
    expect(
      retryTransition(first, { kind: 'refused', codes: ['460'], message: '460 no', answer: '{}' }, now),
    ).toMatchObject({
      state: 'refused',
      nextAttemptAt: null,
      outcome: { status: 'failed', number: null, reason: 'refused: 460 no' },
    });
  });
});
