import { describe, expect, it } from '@jest/globals';
import { afterSend } from './after-send.js';

const now = new Date('2026-06-15T08:00:00Z');
const fresh = { attempts: 0, unknown_outcomes: 0, first_attempt_at: null, cancelled: false };

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
      afterSend(
        { attempts: 26, unknown_outcomes: 0, first_attempt_at: now, cancelled: false },
        outcome,
        dayLater,
      ),
    ).toMatchObject({ state: 'failed', lastError: '451 later' });
  });

  it('whose fate is unknown is sent once more, and never a third time', () => {
    const outcome = { kind: 'unknown', reason: 'no answer' } as const;
    const once = afterSend(fresh, outcome, now);
    expect(once).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    const between = afterSend(
      { attempts: 1, unknown_outcomes: 1, first_attempt_at: now, cancelled: false },
      { kind: 'temporary', reason: '451 later' },
      now,
    );
    expect(between).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    expect(
      afterSend({ attempts: 2, unknown_outcomes: 1, first_attempt_at: now, cancelled: false }, outcome, now),
    ).toMatchObject({ state: 'failed', unknownOutcomes: 2, nextAttemptAt: null });
  });

  it('of a document that was cancelled meanwhile is not tried again, whatever is known of its fate', () => {
    for (const [kind, unknownOutcomes] of [
      ['temporary', 0],
      ['unknown', 1],
    ] as const) {
      expect(afterSend({ ...fresh, cancelled: true }, { kind, reason: '451 later' }, now)).toMatchObject({
        state: 'withdrawn',
        attempts: 1,
        unknownOutcomes,
        nextAttemptAt: null,
        lastError: '451 later',
      });
    }
  });

  it('that had an end keeps it, although its document was cancelled meanwhile', () => {
    const cancelled = { ...fresh, cancelled: true };
    expect(afterSend(cancelled, { kind: 'accepted' }, now)).toMatchObject({ state: 'sent' });
    expect(afterSend(cancelled, { kind: 'permanent', reason: '550 no' }, now)).toMatchObject({
      state: 'failed',
    });
  });
});
