<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

/** Every error code of the HTTP API. */
final class ErrorCode
{
    public const UNAUTHORIZED = 'unauthorized';
    public const KEY_REVOKED = 'key_revoked';
    public const SUBSCRIPTION_REQUIRED = 'subscription_required';
    public const BUSINESS_ARCHIVED = 'business_archived';
    public const BUSINESS_PROFILE_INCOMPLETE = 'business_profile_incomplete';
    public const EXTERNAL_PROVIDER_NOT_SUPPORTED = 'external_provider_not_supported';
    public const ISSUING_BLOCKED_EXPENSES_ONLY = 'issuing_blocked_expenses_only';
    public const INSUFFICIENT_SCOPE = 'insufficient_scope';
    public const NOT_FOUND = 'not_found';
    public const CUSTOMER_NOT_FOUND = 'customer_not_found';
    public const BASED_ON_NOT_FOUND = 'based_on_not_found';
    public const INVALID_JSON = 'invalid_json';
    public const VALIDATION_ERROR = 'validation_error';
    public const MISSING_IDEMPOTENCY_KEY = 'missing_idempotency_key';
    public const INVALID_CUSTOMER_TAX_ID = 'invalid_customer_tax_id';
    public const IDEMPOTENCY_KEY_REUSED = 'idempotency_key_reused';
    public const REQUEST_IN_PROGRESS = 'request_in_progress';
    public const CUSTOMER_IDENTITY_CONFLICT = 'customer_identity_conflict';
    public const LEGAL_TYPE_FORBIDDEN = 'legal_type_forbidden';
    public const PAYMENTS_REQUIRED = 'payments_required';
    public const PAYMENTS_NOT_ALLOWED = 'payments_not_allowed';
    public const PAYMENTS_TOTAL_MISMATCH = 'payments_total_mismatch';
    public const DISCOUNT_NOT_ALLOWED = 'discount_not_allowed';
    public const BASED_ON_REQUIRED = 'based_on_required';
    public const BASED_ON_TYPE_NOT_ALLOWED = 'based_on_type_not_allowed';
    public const BASED_ON_CANCELLED = 'based_on_cancelled';
    public const TOTAL_MISMATCH = 'total_mismatch';
    public const FUTURE_DATE = 'future_date';
    public const DATE_BEFORE_LAST_DOCUMENT = 'date_before_last_document';
    public const USE_CREDIT_NOTE = 'use_credit_note';
    public const ALREADY_CANCELLED = 'already_cancelled';
    public const LINKED_DOCUMENT_CLOSED = 'linked_document_closed';
    public const RATE_LIMITED = 'rate_limited';
    public const DAILY_LIMIT_REACHED = 'daily_limit_reached';
    public const PAYLOAD_TOO_LARGE = 'payload_too_large';
    public const DOCUMENT_GENERATION_FAILED = 'document_generation_failed';
    public const ENGINE_ERROR = 'engine_error';
    public const API_DISABLED = 'api_disabled';
    public const INTERNAL_ERROR = 'internal_error';
}
