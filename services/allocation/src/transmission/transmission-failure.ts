import type { FailedAttempt } from '../authority/attempt-outcome.js';
import type { Answered } from '../connection/authority-calls.js';

export const transmissionOff = {
  outcome: 'off',
  reason: 'Transmission is switched off: the operator sets TAX_AUTHORITY_TRANSMISSION to on.',
} as const;

/** Why a call about a transmission has no answer that can be read; null where it has one. */
export function failureOf(answer: Answered | FailedAttempt): string | null {
  if (answer.kind === 'failed') {
    return answer.reason;
  }
  switch (answer.status) {
    case 200:
      return null;
    case 403:
      return "The tax authority does not serve this application (HTTP status 403): subscribe it to the products UniStructFileUploadLinks and FilesStatus in the authority's portal.";
    case 406:
      return 'The person who connected the business has no permission for its files (HTTP status 406). A person who has it must connect the business.';
    default:
      return `The tax authority answered with HTTP status ${answer.status}.`;
  }
}
