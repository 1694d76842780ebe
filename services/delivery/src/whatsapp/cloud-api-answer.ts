import type { SendOutcome } from '../delivery/after-send.js';
import { shortLine } from '../delivery/short-line.js';

/*
 * The codes are Meta's (developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes): 'build your error handling around
 * the codes'. What none of the sets names follows from the HTTP status.
 */

/** Too much at once, or something there is down: the same message may be taken later. */
const passing = new Set([1, 2, 4, 80007, 130429, 131000, 131016, 131048, 131056, 131057, 133004, 133016]);
/** Token, permission, registration, account or payment: ours to mend, whoever the message is for. */
const accessRefused = new Set([0, 3, 10, 190, 368, 131005, 131031, 131042, 131045, 133010]);
const isPermission = (code: number): boolean => code >= 200 && code <= 299;
/** 'Message undeliverable': the number has no WhatsApp, or one that takes nothing from a business. */
const undeliverable = 131026;

interface CloudApiError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly error_data?: { readonly details?: unknown };
}

/** What a whole answer of the Cloud API means for the message. */
export function readAnswer(status: number, body: string): SendOutcome {
  const answer = parsed(body);
  if (answer?.error) return refused(status, answer.error);
  if (status === 200) {
    const id = answer?.messages?.[0]?.id;
    if (typeof id === 'string' && id !== '') return { kind: 'accepted', providerId: id.slice(0, 200) };
    // It said yes, and not to what: it may have taken the message.
    return { kind: 'unknown', reason: 'The answer says 200, and neither names a message nor an error.' };
  }
  return unreadable(status, `The answer says ${status}, and nothing else that can be read.`);
}

function parsed(body: string): { error?: CloudApiError; messages?: { id?: unknown }[] } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function refused(status: number, error: CloudApiError): SendOutcome {
  const code = typeof error.code === 'number' ? error.code : undefined;
  const details = error.error_data?.details;
  const said = [code, error.message, details].filter((one) => one !== undefined && one !== '').join(' ');
  const reason = shortLine(said) || `The answer says ${status} and an error without words.`;
  if (code === undefined) return unreadable(status, reason);
  if (code === undeliverable) return { kind: 'permanent', reason, fault: 'address' };
  if (accessRefused.has(code) || isPermission(code)) return { kind: 'temporary', reason, fault: 'access' };
  if (passing.has(code)) return { kind: 'temporary', reason };
  return byStatus(status, reason);
}

/** Not the API's words, so something else answers at its address: every message would meet it, until it is mended. */
function unreadable(status: number, reason: string): SendOutcome {
  const outcome = byStatus(status, reason);
  return outcome.kind === 'permanent' ? { ...outcome, kind: 'temporary', fault: 'access' } : outcome;
}

/** With 200 a code that nobody knows is a refusal like any other. */
function byStatus(status: number, reason: string): SendOutcome {
  // Somebody between us and the API lost the answer; the message may have arrived.
  if (status === 502 || status === 504) return { kind: 'unknown', reason };
  if (status === 401 || status === 403) return { kind: 'temporary', reason, fault: 'access' };
  if (status >= 500 || status === 408 || status === 429) return { kind: 'temporary', reason };
  return { kind: 'permanent', reason };
}
