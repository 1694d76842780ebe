import type { SendOutcome } from '../message/send-policy.js';
import { truncate } from '../message/truncate.js';

/*
 * The codes are Meta's (developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes): 'build your error handling around
 * the codes'. What none of the sets names follows from the HTTP status.
 */

/** Rate limits and outages: the same message may be accepted later. */
const transientCodes = new Set([
  1, 2, 4, 80007, 130429, 131000, 131016, 131048, 131056, 131057, 133004, 133016,
]);
/** Token, permission, registration, account or payment: rejects every message until it is corrected. */
const accessDeniedCodes = new Set([0, 3, 10, 190, 368, 131005, 131031, 131042, 131045, 133010]);
const isPermission = (code: number): boolean => code >= 200 && code <= 299;
/** 'Message undeliverable': the number has no WhatsApp, or one that takes nothing from a business. */
const undeliverableCode = 131026;

interface CloudApiError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly error_data?: { readonly details?: unknown };
}

/** Classifies a response of the Cloud API. */
export function parseResponse(status: number, body: string): SendOutcome {
  const answer = parseJson(body);
  if (answer?.error) {
    return outcomeOfError(status, answer.error);
  }
  if (status === 200) {
    const id = answer?.messages?.[0]?.id;
    if (typeof id === 'string' && id !== '') {
      return { kind: 'accepted', providerId: id.slice(0, 200) };
    }
    // Success without a message id: it may have been accepted.
    return { kind: 'unknown', reason: 'The answer says 200, and neither names a message nor an error.' };
  }
  return outcomeOfUnexpectedResponse(status, `The answer says ${status}, and nothing else that can be read.`);
}

function parseJson(body: string): { error?: CloudApiError; messages?: { id?: unknown }[] } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function outcomeOfError(status: number, error: CloudApiError): SendOutcome {
  const code = typeof error.code === 'number' ? error.code : undefined;
  const details = error.error_data?.details;
  const text = [code, error.message, details].filter((part) => part !== undefined && part !== '').join(' ');
  const reason = truncate(text) || `The answer says ${status} and an error without words.`;
  if (code === undefined) {
    return outcomeOfUnexpectedResponse(status, reason);
  }
  if (code === undeliverableCode) {
    return { kind: 'permanent', reason, failure: 'unknown_address' };
  }
  if (accessDeniedCodes.has(code) || isPermission(code)) {
    return { kind: 'temporary', reason, failure: 'access_denied' };
  }
  if (transientCodes.has(code)) {
    return { kind: 'temporary', reason };
  }
  return outcomeOfStatus(status, reason);
}

/** Not a response of the API: something else answers at its address and rejects every message. */
function outcomeOfUnexpectedResponse(status: number, reason: string): SendOutcome {
  const outcome = outcomeOfStatus(status, reason);
  return outcome.kind === 'permanent' ? { ...outcome, kind: 'temporary', failure: 'access_denied' } : outcome;
}

/** With status 200 an unknown code is a permanent rejection. */
function outcomeOfStatus(status: number, reason: string): SendOutcome {
  // A gateway lost the response; the message may have been accepted.
  if (status === 502 || status === 504) {
    return { kind: 'unknown', reason };
  }
  if (status === 401 || status === 403) {
    return { kind: 'temporary', reason, failure: 'access_denied' };
  }
  if (status >= 500 || status === 408 || status === 429) {
    return { kind: 'temporary', reason };
  }
  return { kind: 'permanent', reason };
}
