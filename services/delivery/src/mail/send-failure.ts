import type { SendOutcome } from '../delivery/after-send.js';
import { shortLine } from '../delivery/short-line.js';

/** What is read of an error of the mail library. */
export interface SmtpError {
  readonly code?: string | undefined;
  /** The command that was answered, such as `RCPT TO`. */
  readonly command?: string | undefined;
  /** The whole line of the server, such as `550 no such mailbox here`. */
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly message: string;
}

/** 'Authentication required' (RFC 4954): our login is at fault, not the message. */
const authenticationRequired = 530;
/** The codes with which a server refuses a mailbox (RFC 5321, 4.2.2). */
const mailboxRefused = new Set([550, 551, 553]);
/**
 * What RFC 3463 and 7505 say of the recipient's address: bad mailbox, system or syntax, moved, a domain that takes no mail, and
 * `5.2.1`, a mailbox that is disabled. `5.1.7` and `5.1.8` speak of the sender.
 */
const addressStatus = /^5\.(1\.(0|1|2|3|6|10)|2\.1)$/;
/** Servers that give no enhanced status say 550 to a relay, a blocked sender and a policy as well. */
const wordsOfPolicy =
  /relay|spam|block|black|\blist|denied|polic|sender|reputation|authenti|verif|rate|limit|full|quota/i;

/**
 * What a failed handing over means for the message. The server's answer to this message (its sender, its recipient, its
 * content) is final from 500 on, and for now below. Everything else is the connection's fault; then it matters whether the
 * message had left to its last byte, since only then may the server have taken it.
 */
export function sendFailure(
  error: SmtpError,
  leftWhole: boolean,
): Exclude<SendOutcome, { kind: 'accepted' }> {
  const reason = shortLine(error.response ?? error.message);
  if (error.code === 'EAUTH' || error.responseCode === authenticationRequired) {
    return { kind: 'temporary', reason, fault: 'access' };
  }
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') {
    // Without an answer of the server the library itself found that the message cannot be sent.
    const code = error.responseCode ?? 500;
    if (code < 500) return { kind: 'temporary', reason };
    return { kind: 'permanent', reason, ...(nobodyIsThere(error) ? { fault: 'address' } : {}) };
  }
  return { kind: leftWhole ? 'unknown' : 'temporary', reason };
}

/** Whether the server says that the recipient's address leads nowhere, rather than that it does not want this message. */
function nobodyIsThere({ command, response = '', responseCode = 0 }: SmtpError): boolean {
  if (command !== 'RCPT TO') return false;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  return status === undefined
    ? mailboxRefused.has(responseCode) && !wordsOfPolicy.test(response)
    : addressStatus.test(status);
}
