import { describe, expect, it } from '@jest/globals';
import { afterTry } from './after-try.js';

const now = new Date('2026-06-15T08:00:00Z');
const first = { attempts: 1, earlier_attempts: 0, asked_since: now, settled_at: null };
const later = { attempts: 3, earlier_attempts: 0, asked_since: now, settled_at: now };
const failure = {
  kind: 'failed',
  failure: 'time_out',
  reason: 'No answer.',
  triedAgain: true,
  waitsForConnection: false,
  answer: null,
  unclear: true,
} as const;
const granted = {
  kind: 'granted',
  confirmationNumber: '20240627231846297178091822',
  number: '178091822',
  answer: '{}',
} as const;

describe('a try', () => {
  it('that failed is announced the first time, and made again', () => {
    expect(afterTry(first, failure, now)).toMatchObject({
      state: 'asking',
      nextAttemptAt: new Date('2026-06-15T08:00:05Z'),
      announce: { status: 'failed', number: null, reason: 'No answer.' },
    });
  });

  it('that failed again is announced no more', () => {
    expect(afterTry(later, failure, now)).toMatchObject({ state: 'asking', announce: null });
  });

  it('that failed for a whole day is given up, and keeps its reason', () => {
    const dayLater = new Date(now.getTime() + 24 * 3_600_000);
    expect(afterTry({ ...later, attempts: 27 }, failure, dayLater)).toMatchObject({
      state: 'given_up',
      reason: 'No answer.',
      nextAttemptAt: null,
      announce: null,
    });
  });

  it('that failed after its day began anew is made again after the first pauses', () => {
    const anew = { ...later, attempts: 28, earlier_attempts: 27 };
    expect(afterTry(anew, failure, now)).toMatchObject({
      state: 'asking',
      nextAttemptAt: new Date('2026-06-15T08:00:05Z'),
    });
  });

  it('that would only fail again is given up at once, and announced if nothing was', () => {
    const hopeless = { ...failure, triedAgain: false };
    expect(afterTry(first, hopeless, now)).toMatchObject({
      state: 'given_up',
      nextAttemptAt: null,
      announce: { status: 'failed', reason: 'No answer.' },
    });
    expect(afterTry(later, hopeless, now)).toMatchObject({ state: 'given_up', announce: null });
  });

  it('that was granted is announced, whatever was announced before', () => {
    for (const before of [first, later]) {
      expect(afterTry(before, granted, now)).toEqual({
        state: 'issued',
        reason: null,
        number: '178091822',
        confirmationNumber: '20240627231846297178091822',
        nextAttemptAt: null,
        announce: { status: 'issued', number: '178091822', reason: null },
      });
    }
  });

  it('that was refused is final, with the words of the authority', () => {
    expect(
      afterTry(first, { kind: 'refused', codes: ['460'], words: '460 no', answer: '{}' }, now),
    ).toMatchObject({
      state: 'refused',
      nextAttemptAt: null,
      announce: { status: 'failed', number: null, reason: 'refused: 460 no' },
    });
  });
});
