import type { SendOutcome } from '../message/send-policy.js';
import { truncate } from '../message/truncate.js';

/** The fields read of the mail library's errors. */
export interface SmtpError {
  readonly code?: string | undefined;
  /** The command that was answered, such as `RCPT TO`. */
  readonly command?: string | undefined;
  /** The whole line of the server, such as `550 no such mailbox here`. */
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly message: string;
}

/** 'Authentication required' (RFC 4954). */
const authenticationRequired = 530;
/** The codes with which a server refuses a mailbox (RFC 5321, 4.2.2). */
const mailboxRefused = new Set([550, 551, 553]);
/**
 * What RFC 3463 and 7505 say of the recipient's address: bad mailbox, system or syntax, moved, a domain that takes no mail, and
 * `5.2.1`, a mailbox that is disabled. `5.1.7` and `5.1.8` speak of the sender.
 */
const addressStatus = /^5\.(1\.(0|1|2|3|6|10)|2\.1)$/;
/** Without an enhanced status, 550 also means a relay, a blocked sender or a policy. */
const policyRejection =
  /relay|spam|block|black|\blist|denied|polic|sender|reputation|authenti|verif|rate|limit|full|quota/i;

/**
 * Classifies a failed attempt. A response to this message is permanent from 500 on and temporary below. On any other error
 * it matters whether the message was sent to its last byte, since only then the server may have accepted it.
 */
export function sendFailure(
  error: SmtpError,
  fullySent: boolean,
): Exclude<SendOutcome, { kind: 'accepted' }> {
  const reason = truncate(error.response ?? error.message);
  if (error.code === 'EAUTH' || error.responseCode === authenticationRequired) {
    return { kind: 'temporary', reason, failure: 'access_denied' };
  }
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') {
    // Without an answer of the server the library itself found that the message cannot be sent.
    const code = error.responseCode ?? 500;
    if (code < 500) {
      return { kind: 'temporary', reason };
    }
    return { kind: 'permanent', reason, ...(isUnknownMailbox(error) ? { failure: 'unknown_address' } : {}) };
  }
  return { kind: fullySent ? 'unknown' : 'temporary', reason };
}

/** Whether the server rejects the recipient's address rather than this message. */
function isUnknownMailbox({ command, response = '', responseCode = 0 }: SmtpError): boolean {
  if (command !== 'RCPT TO') {
    return false;
  }
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  return status === undefined
    ? mailboxRefused.has(responseCode) && !policyRejection.test(response)
    : addressStatus.test(status);
}
