import type { SendOutcome } from '../delivery/after-send.js';

/** What is read of an error of the mail library. */
export interface SmtpError {
  readonly code?: string | undefined;
  /** The whole line of the server, such as `550 no such mailbox here`. */
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly message: string;
}

const wordsMax = 300;
/** 'Authentication required' (RFC 4954): our login is at fault, not the message. */
const authenticationRequired = 530;

/**
 * What a failed handing over means for the message. The server's answer to this message (its sender, its recipient, its
 * content) is final from 500 on, and for now below. Everything else is the connection's fault; then it matters whether the
 * message had left to its last byte, since only then may the server have taken it.
 */
export function sendFailure(
  error: SmtpError,
  leftWhole: boolean,
): Exclude<SendOutcome, { kind: 'accepted' }> {
  const reason = (error.response ?? error.message)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, wordsMax);
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') {
    // Without an answer of the server the library itself found that the message cannot be sent.
    const code = error.responseCode ?? 500;
    return { kind: code >= 500 && code !== authenticationRequired ? 'permanent' : 'temporary', reason };
  }
  return { kind: leftWhole ? 'unknown' : 'temporary', reason };
}
