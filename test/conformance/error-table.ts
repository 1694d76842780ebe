import { expect } from '@jest/globals';
import type { ErrorBody, ErrorCode } from '@pinkas/contracts';
import type { Answer } from './suite.js';

/** What the table of errors (section 7 of the HTTP API) says of one code. */
interface ErrorRow {
  readonly status: number;
  readonly retryable: boolean;
  /** The members of `error.details`. */
  readonly details: readonly string[];
}

const row = (status: number, retryable: 'no' | 'yes', ...details: string[]): ErrorRow => ({
  status,
  retryable: retryable === 'yes',
  details,
});

/**
 * The table of section 7, written down a second time and independently of the product's own catalogue, so that neither
 * can drift from the HTTP API alone.
 */
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  unauthorized: row(401, 'no'),
  key_revoked: row(401, 'no'),
  subscription_required: row(402, 'no', 'payment_url'),
  business_archived: row(403, 'no'),
  business_profile_incomplete: row(403, 'no'),
  external_provider_not_supported: row(403, 'no'),
  issuing_blocked_expenses_only: row(403, 'no'),
  insufficient_scope: row(403, 'no'),
  not_found: row(404, 'no'),
  customer_not_found: row(404, 'no'),
  based_on_not_found: row(404, 'no'),
  invalid_json: row(400, 'no'),
  validation_error: row(400, 'no', 'errors'),
  missing_idempotency_key: row(400, 'no'),
  invalid_customer_tax_id: row(400, 'no'),
  idempotency_key_reused: row(409, 'no'),
  request_in_progress: row(409, 'yes'),
  customer_identity_conflict: row(409, 'no', 'existing_customer_id'),
  legal_type_forbidden: row(422, 'no'),
  payments_required: row(422, 'no'),
  payments_not_allowed: row(422, 'no'),
  payments_total_mismatch: row(422, 'no', 'total'),
  discount_not_allowed: row(422, 'no'),
  based_on_required: row(422, 'no'),
  based_on_type_not_allowed: row(422, 'no', 'allowed_source_types'),
  based_on_cancelled: row(422, 'no'),
  total_mismatch: row(422, 'no', 'computed_total'),
  future_date: row(422, 'no'),
  date_before_last_document: row(422, 'no', 'last_document_date'),
  use_credit_note: row(422, 'no'),
  already_cancelled: row(422, 'no'),
  linked_document_closed: row(422, 'no'),
  rate_limited: row(429, 'yes'),
  daily_limit_reached: row(429, 'no'),
  payload_too_large: row(413, 'no'),
  document_generation_failed: row(502, 'yes'),
  engine_error: row(502, 'yes'),
  api_disabled: row(503, 'yes'),
  internal_error: row(500, 'yes'),
};

/** Every code of the table. */
export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** Expects a refusal with this code, and the status that the table gives it. */
export function expectRefusal(answer: Answer<ErrorBody>, code: ErrorCode): void {
  expect([answer.status, answer.body.error?.code ?? answer.body]).toEqual([errorTable[code].status, code]);
}

/** The paths that a `validation_error` names, sorted; each with a message. */
export function faultPathsOf(answer: Answer<ErrorBody>): string[] {
  expectRefusal(answer, 'validation_error');
  const errors = answer.body.error.details?.errors as { path: string; message: string }[];
  return errors.map(({ path }) => path).sort();
}
