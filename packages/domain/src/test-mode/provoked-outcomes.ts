import { isTestBook } from './test-book.js';

/** What an item's `sku` provokes in a test book. */
export const testSkus = {
  allocation: {
    test_allocation_issued: 'issued',
    test_allocation_not_required: 'not_required',
    test_allocation_skipped_customer_tax_id_missing: 'skipped_customer_tax_id_missing',
    test_allocation_skipped_business_tax_id_missing: 'skipped_business_tax_id_missing',
    test_allocation_failed: 'failed',
    test_allocation_late: 'late',
  },
  donation: {
    test_donation_reported: 'reported',
    test_donation_not_required: 'not_required',
    test_donation_refused: 'refused',
    test_donation_failed: 'failed',
    test_donation_late: 'late',
  },
  delivery: {
    test_delivery_queued: 'queued',
    test_delivery_deferred_quiet_hours: 'deferred_quiet_hours',
    test_delivery_disabled: 'disabled',
    test_delivery_suppressed: 'suppressed',
    test_delivery_no_recipient: 'no_recipient',
    test_delivery_send_failed: 'send_failed',
    test_delivery_failed: 'failed',
  },
  authority: {
    test_authority_expiring: 'expiring',
    test_authority_disconnected: 'disconnected',
  },
  error: {
    test_document_generation_failed: 'document_generation_failed',
    test_engine_error: 'engine_error',
    test_engine_error_after_issue: 'engine_error_after_issue',
    test_request_in_progress: 'request_in_progress',
    test_rate_limited: 'rate_limited',
    test_daily_limit_reached: 'daily_limit_reached',
  },
  delaySeconds: { test_slow_3s: 3, test_slow_10s: 10 },
} as const;

type TestSkus = typeof testSkus;

/** The outcomes that the items of a document provoke; where two items provoke one kind, the first does. */
type ProvokedOutcomes = {
  readonly [Kind in keyof TestSkus]?: TestSkus[Kind][keyof TestSkus[Kind]];
};

/** The items of a document, or of a request for one. */
interface ItemsWithSku {
  readonly items: readonly { readonly sku?: string | null | undefined }[];
}

/** A document with its book. */
export type BookedDocument = ItemsWithSku & { readonly business_id: string };

const nothing: ProvokedOutcomes = {};

/** What a document provokes: nothing unless its book is a test book. */
export function provokedOutcomes(bookId: string, { items }: ItemsWithSku): ProvokedOutcomes {
  if (!isTestBook(bookId)) {
    return nothing;
  }
  const provoked: Record<string, unknown> = {};
  for (const { sku } of items) {
    for (const [kind, outcomes] of Object.entries(testSkus)) {
      if (sku != null && Object.hasOwn(outcomes, sku)) {
        provoked[kind] ??= (outcomes as Record<string, unknown>)[sku];
      }
    }
  }
  return provoked;
}
