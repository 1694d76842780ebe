import { describe, expect, it } from '@jest/globals';
import { sendTransition } from './send-policy.js';

const now = new Date('2026-06-15T08:00:00Z');
const fresh = { attempts: 0, unknown_outcomes: 0, first_attempt_at: null, cancelled: false };

describe('sendTransition', () => {
  it('sendTransition marks an accepted message as sent', () => {
    expect(sendTransition(fresh, { kind: 'accepted' }, now)).toMatchObject({
      state: 'sent',
      attempts: 1,
      nextAttemptAt: null,
      lastError: null,
    });
  });

  it('sendTransition fails a permanently rejected message with the reason of the provider', () => {
    expect(sendTransition(fresh, { kind: 'permanent', reason: '550 no such mailbox' }, now)).toMatchObject({
      state: 'failed',
      nextAttemptAt: null,
      lastError: '550 no such mailbox',
    });
  });

  it('sendTransition repeats a temporary failure and fails after a day', () => {
    const outcome = { kind: 'temporary', reason: '451 later' } as const;
    expect(sendTransition(fresh, outcome, now)).toMatchObject({
      state: 'ready',
      nextAttemptAt: new Date('2026-06-15T08:00:05Z'),
      firstAttemptAt: now,
    });
    const dayLater = new Date(now.getTime() + 24 * 3_600_000);
    expect(
      sendTransition(
        { attempts: 26, unknown_outcomes: 0, first_attempt_at: now, cancelled: false },
        outcome,
        dayLater,
      ),
    ).toMatchObject({ state: 'failed', lastError: '451 later' });
  });

  it('sendTransition repeats an unknown outcome once and never a third time', () => {
    const outcome = { kind: 'unknown', reason: 'no answer' } as const;
    const once = sendTransition(fresh, outcome, now);
    expect(once).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    const between = sendTransition(
      { attempts: 1, unknown_outcomes: 1, first_attempt_at: now, cancelled: false },
      { kind: 'temporary', reason: '451 later' },
      now,
    );
    expect(between).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    expect(
      sendTransition(
        { attempts: 2, unknown_outcomes: 1, first_attempt_at: now, cancelled: false },
        outcome,
        now,
      ),
    ).toMatchObject({ state: 'failed', unknownOutcomes: 2, nextAttemptAt: null });
  });

  it('sendTransition does not repeat an attempt for a cancelled document', () => {
    for (const [kind, unknownOutcomes] of [
      ['temporary', 0],
      ['unknown', 1],
    ] as const) {
      expect(sendTransition({ ...fresh, cancelled: true }, { kind, reason: '451 later' }, now)).toMatchObject(
        {
          state: 'withdrawn',
          attempts: 1,
          unknownOutcomes,
          nextAttemptAt: null,
          lastError: '451 later',
        },
      );
    }
  });

  it('sendTransition keeps a final outcome although the document is cancelled', () => {
    const cancelled = { ...fresh, cancelled: true };
    expect(sendTransition(cancelled, { kind: 'accepted' }, now)).toMatchObject({ state: 'sent' });
    expect(sendTransition(cancelled, { kind: 'permanent', reason: '550 no' }, now)).toMatchObject({
      state: 'failed',
    });
  });
});
