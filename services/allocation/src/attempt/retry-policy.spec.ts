import { describe, expect, it } from '@jest/globals';
import { firstRefusal, retryTransition } from './retry-policy.js';

const now = new Date('2026-06-15T08:00:00Z');
const second = 1_000;
const after = (ms: number) => new Date(now.getTime() + ms);
const first = {
  kind: 'number',
  attempts: 1,
  earlier_attempts: 0,
  first_attempt_at: now,
  settled_at: null,
  outcome_unknown: false,
} as const;
const later = { ...first, attempts: 3, settled_at: now };
const failure = {
  kind: 'failed',
  failure: 'time_out',
  reason: 'No answer.',
  retryable: true,
  awaitsConnection: false,
  answer: null,
  outcomeUnknown: false,
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
        isUnknown: false,
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

  it('retryTransition keeps an outcome unknown until the authority decides, whatever fails in between', () => {
    const unknown = { ...later, outcome_unknown: true };
    expect(retryTransition(first, { ...failure, outcomeUnknown: true }, now).isUnknown).toBe(true);
    expect(retryTransition(unknown, failure, now).isUnknown).toBe(true);
    expect(retryTransition(unknown, granted, now).isUnknown).toBe(false);
    expect(retryTransition(first, failure, now).isUnknown).toBe(false);
  });

  it.each([
    ['number', 'enter the number if it is there'],
    ['donation', 'before it is reported again'],
  ] as const)(
    'retryTransition tells a person where to look when the last attempt for a %s may have been granted',
    (kind, words) => {
      const unknown = { ...later, kind, outcome_unknown: true };
      const { reason, outcome } = retryTransition(unknown, { ...failure, retryable: false }, now);
      expect(reason).toMatch(/^No answer\. /);
      expect(reason).toContain(words);
      expect(outcome?.reason).toBe(reason);
    },
  );

  it('retryTransition makes no attempt before the instant that the authority asked for', () => {
    const notBefore = after(90 * second);
    expect(retryTransition(first, { ...failure, notBefore }, now).nextAttemptAt).toEqual(notBefore);
    const passed = after(second);
    expect(retryTransition(first, { ...failure, notBefore: passed }, now).nextAttemptAt).toEqual(
      after(5 * second),
    );
  });

  it('retryTransition repeats what the operator has to correct every five minutes, without an end', () => {
    const rejected = { ...failure, awaitsOperator: true, isEndless: true };
    const dayLater = after(26 * 3_600 * second);
    for (const [before, at] of [
      [first, now],
      [{ ...later, attempts: 300 }, dayLater],
    ] as const) {
      expect(retryTransition(before, rejected, at)).toMatchObject({
        state: 'pending',
        nextAttemptAt: new Date(at.getTime() + 300 * second),
        restarts: true,
      });
    }
  });
});

describe('firstRefusal', () => {
  const refusedBefore = { refused_at: now, refusal_codes: ['460'], refusal_message: '460 no' };
  const never = { refused_at: null, refusal_codes: null, refusal_message: null };
  const answer = (codes: readonly string[]) =>
    ({ kind: 'refused', codes, message: 'again', answer: '{}' }) as const;

  it.each([['461'], ['462']])('firstRefusal of code %s is the refusal that came first', (code) => {
    expect(firstRefusal(refusedBefore, answer([code]))).toMatchObject({ codes: ['460'], message: '460 no' });
  });

  it('firstRefusal is null for a refusal of its own, for one that is not known, and for a number', () => {
    expect(firstRefusal(refusedBefore, answer(['460']))).toBeNull();
    expect(firstRefusal(refusedBefore, answer([]))).toBeNull();
    expect(firstRefusal(never, answer(['461']))).toBeNull();
    expect(firstRefusal(refusedBefore, granted)).toBeNull();
  });
});
