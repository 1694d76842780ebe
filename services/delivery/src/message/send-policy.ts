import { heldUntil, nextAttemptAt } from '@pinkas/domain';
import type { DeliveryFacts, DeliveryPurpose, SendFailure } from '../db/delivery.tables.js';

/**
 * The outcome of one send attempt. `unknown`: the complete message was sent and no response came, so the provider may have
 * accepted it. `reason` and `response` are the provider's own text where there is any.
 */
export type SendOutcome =
  | {
      readonly kind: 'accepted';
      readonly response?: string;
      /** The provider's id of the message. */
      readonly providerId?: string;
      /** The mail server that took it. */
      readonly server?: string;
    }
  | {
      readonly kind: 'temporary' | 'permanent' | 'unknown';
      readonly reason: string;
      readonly failure?: SendFailure;
      /** The mail server that was tried. */
      readonly server?: string;
    };

/** The changes that an attempt makes to its message. */
export interface SendTransition {
  readonly state: 'ready' | 'sent' | 'failed' | 'withdrawn';
  readonly attempts: number;
  readonly unknownOutcomes: number;
  readonly firstAttemptAt: Date;
  /** Null where no attempt follows. */
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
}

/** Why a message is withdrawn, as an operator reads it. */
export const cancelledReason = 'The document was cancelled.';
/** Why a reminder is withdrawn. */
export const settledReason = 'Nothing is left to pay.';
/** Why a message to a suppressed address has failed. */
export const suppressedReason = 'The address is suppressed.';

/** Why a WhatsApp message fails where there is no account to send it from. */
export const whatsappNotConfigured = 'WhatsApp is not set up.';

/** A message with an unknown outcome is sent once more under the same Message-ID, and never a third time. */
const unknownOutcomesMax = 2;

/**
 * The once-only policy (docs/adr/0013-exactly-one-message.md): an attempt that was certainly not accepted is repeated for a
 * day, one of unknown outcome once in the message's life, a permanent rejection and a cancelled document's message never.
 */
export function sendTransition(
  before: {
    attempts: number;
    unknown_outcomes: number;
    first_attempt_at: Date | null;
    /** Whether its document is cancelled by now. */
    cancelled: boolean;
  },
  outcome: SendOutcome,
  now: Date,
): SendTransition {
  const attempts = before.attempts + 1;
  const firstAttemptAt = before.first_attempt_at ?? now;
  const after = { attempts, firstAttemptAt, unknownOutcomes: before.unknown_outcomes, nextAttemptAt: null };
  if (outcome.kind === 'accepted') {
    return { ...after, state: 'sent', lastError: null };
  }
  if (outcome.kind === 'permanent') {
    return { ...after, state: 'failed', lastError: outcome.reason };
  }
  const unknownOutcomes = before.unknown_outcomes + (outcome.kind === 'unknown' ? 1 : 0);
  if (before.cancelled) {
    return { ...after, state: 'withdrawn', unknownOutcomes, lastError: outcome.reason };
  }
  const next = unknownOutcomes < unknownOutcomesMax ? nextAttemptAt(attempts, firstAttemptAt, now) : null;
  return {
    ...after,
    state: next ? 'ready' : 'failed',
    unknownOutcomes,
    nextAttemptAt: next,
    lastError: outcome.reason,
  };
}

/**
 * Whether an outcome still counts. Accepted counts however late it is learned; a failure counts only while no other worker
 * has claimed the message.
 */
export function acceptsOutcome(
  claimed: { claimed_until: Date | null },
  current: { state: string; claimed_until: Date | null },
  outcome: SendOutcome,
): boolean {
  if (outcome.kind === 'accepted') {
    return current.state !== 'sent';
  }
  return current.claimed_until?.getTime() === claimed.claimed_until?.getTime();
}

/** The facts that decide whether a message of a document may be sent. */
export interface DocumentProgress {
  readonly cancelled: boolean;
  /** Whether the final PDF exists. */
  readonly rendered: boolean;
  /** Until when its messages wait for the allocation number; null: they do not. */
  readonly heldUntil: Date | null;
}

/** The changes that a resend makes to a failed message. */
export type ResendTransition =
  | { readonly state: 'withdrawn' }
  /** It stays as it is, with what its last attempt has met. */
  | { readonly state: 'failed' }
  | {
      readonly state: 'ready' | 'waiting';
      /** The end of the quiet hours; null outside of them. */
      readonly notBefore: Date | null;
      /** The end of the hold for the allocation number; null where it is not held. */
      readonly heldUntil: Date | null;
    };

/** A resend starts over: the message is due as if no attempt had been made, at the end of the quiet hours and of the hold where they apply. */
export function resendTransition(
  message: { purpose: DeliveryPurpose; facts: DeliveryFacts },
  { cancelled, rendered, suppressed, heldUntil: hold }: DocumentProgress & { suppressed: boolean },
  now: Date,
): ResendTransition {
  if (cancelled) {
    return { state: 'withdrawn' };
  }
  if (suppressed) {
    return { state: 'failed' };
  }
  const notBefore = heldUntil(message.purpose, message.facts.business.quiet_hours, now);
  return { state: rendered ? 'ready' : 'waiting', notBefore, heldUntil: hold };
}
