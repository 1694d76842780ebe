import type { SendFailure } from '../db/delivery.tables.js';
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
/** The message is larger than the server takes (RFC 1870). */
const tooLarge = 552;
/** The codes with which a server refuses a mailbox (RFC 5321, 4.2.2). */
const mailboxRefused = new Set([550, 551, 553]);
/**
 * What RFC 3463 and 7505 say of the recipient's address: bad mailbox, system or syntax, moved, a domain that takes no mail, and
 * `5.2.1`, a mailbox that is disabled.
 */
const addressStatus = /^5\.(1\.(1|2|3|6|10)|2\.1)$/;
/** `5.1.0` leaves open whose address it is of, `5.1.7` and `5.1.8` speak of the sender, `5.7` of access and policies. */
const ourStatus = /^5\.(1\.[078]|7\.\d{1,3})$/;
/** Words about the sender, the relay or access, also beside the status of an address: Postfix and Stalwart answer so. */
const ourWords = /relay|sender|access|authenti|send as/i;
/** Without an enhanced status, words of a policy, which is about us as well: the server has seen no content yet. */
const policyWords = /spam|block|black|denied|polic|reputation|not (?:permitted|allowed)/i;
/** Words of what is neither about us nor about the address: of a list, a verification, a rate or a full mailbox. */
const otherWords = /\blist|verif|rate|limit|full|quota/i;

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
    const failure = code < 500 ? undefined : refusalOf(error);
    return code < 500 || failure === 'relay_denied'
      ? { kind: 'temporary', reason, ...(failure && { failure }) }
      : { kind: 'permanent', reason, ...(failure && { failure }) };
  }
  return { kind: fullySent ? 'unknown' : 'temporary', reason };
}

/** What a server that refuses for good refuses: the recipient's address, us, or neither. */
function refusalOf({ command, response = '', responseCode = 0 }: SmtpError): SendFailure | undefined {
  const words = wordsOf(response);
  if (response !== '' && ourWords.test(words)) {
    return 'relay_denied';
  }
  if (command === 'MAIL FROM') {
    return responseCode === tooLarge ? undefined : 'relay_denied';
  }
  if (command !== 'RCPT TO') {
    return undefined;
  }
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  if (status !== undefined) {
    const ofAddress = addressStatus.test(status) ? 'unknown_address' : undefined;
    return ourStatus.test(status) ? 'relay_denied' : ofAddress;
  }
  if (policyWords.test(words)) {
    return 'relay_denied';
  }
  return mailboxRefused.has(responseCode) && !otherWords.test(words) ? 'unknown_address' : undefined;
}

/** Whether the stored answer of a server that has refused a recipient may be about us. */
export const mayConcernUs = (response: string): boolean =>
  refusalOf({ command: 'RCPT TO', response, responseCode: Number(response.slice(0, 3)), message: '' }) ===
  'relay_denied';

/** Without addresses, host names and links: what they are made of says nothing. */
const wordsOf = (response: string): string =>
  response.replaceAll(/<[^>]*>|\S*[@/]\S*|\b[\w-]+(?:\.[\w-]+)+/g, ' ');
