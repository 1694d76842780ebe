import type { openTransmission, ReplyOf } from '@pinkas/contracts';
import type { FailedAttempt } from '../authority/attempt-outcome.js';
import type { Answered } from '../authority/authority-calls.js';

export const transmissionOff = {
  outcome: 'off',
  reason: 'Transmission is switched off: the operator sets TAX_AUTHORITY_TRANSMISSION to on.',
} as const;

type Failure = Pick<ReplyOf<typeof openTransmission>, 'problem' | 'reason'> & { readonly outcome: 'failed' };

const failed = (problem: NonNullable<Failure['problem']>, reason: string): Failure => ({
  outcome: 'failed',
  problem,
  reason,
});

/** An answer that is not what the supplement describes. */
export const unreadable = (error: Error): Failure =>
  failed('unavailable', `The tax authority's answer cannot be read: ${error.message}.`);

/** Why a call about a transmission has no answer that can be read; null where it has one. */
export function failureOf(answer: Answered | FailedAttempt): Failure | null {
  if (answer.kind === 'failed') {
    return failed(answer.failure === 'not_connected' ? 'not_connected' : 'unavailable', answer.reason);
  }
  switch (answer.status) {
    case 200:
      return null;
    case 403:
      return failed(
        'not_subscribed',
        "The tax authority does not serve this application (HTTP status 403): subscribe it to the products UniStructFileUploadLinks and FilesStatus in the authority's portal.",
      );
    case 406:
      return failed(
        'no_permission',
        'The person who connected the business has no permission for its files (HTTP status 406). A person who has it must connect the business.',
      );
    default:
      return failed('unavailable', `The tax authority answered with HTTP status ${answer.status}.`);
  }
}
