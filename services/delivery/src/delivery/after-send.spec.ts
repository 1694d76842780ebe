import { describe, expect, it } from '@jest/globals';
import { afterSend } from './after-send.js';

const now = new Date('2026-06-15T08:00:00Z');
const fresh = { attempts: 0, unknown_outcomes: 0, first_attempt_at: null };

describe('a message', () => {
  it('that was taken is sent', () => {
    expect(afterSend(fresh, { kind: 'accepted' }, now)).toMatchObject({
      state: 'sent',
      attempts: 1,
      nextAttemptAt: null,
      lastError: null,
    });
  });

  it('that was refused for good has failed, with the words of the provider', () => {
    expect(afterSend(fresh, { kind: 'permanent', reason: '550 no such mailbox' }, now)).toMatchObject({
      state: 'failed',
      nextAttemptAt: null,
      lastError: '550 no such mailbox',
    });
  });

  it('that was not taken for now is tried again, and fails after a day', () => {
    const outcome = { kind: 'temporary', reason: '451 later' } as const;
    expect(afterSend(fresh, outcome, now)).toMatchObject({
      state: 'ready',
      nextAttemptAt: new Date('2026-06-15T08:00:05Z'),
      firstAttemptAt: now,
    });
    const dayLater = new Date(now.getTime() + 24 * 3_600_000);
    expect(
      afterSend({ attempts: 26, unknown_outcomes: 0, first_attempt_at: now }, outcome, dayLater),
    ).toMatchObject({ state: 'failed', lastError: '451 later' });
  });

  it('whose fate is unknown is sent once more, and never a third time', () => {
    const outcome = { kind: 'unknown', reason: 'no answer' } as const;
    const once = afterSend(fresh, outcome, now);
    expect(once).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    const between = afterSend(
      { attempts: 1, unknown_outcomes: 1, first_attempt_at: now },
      { kind: 'temporary', reason: '451 later' },
      now,
    );
    expect(between).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    expect(
      afterSend({ attempts: 2, unknown_outcomes: 1, first_attempt_at: now }, outcome, now),
    ).toMatchObject({ state: 'failed', unknownOutcomes: 2, nextAttemptAt: null });
  });
});
