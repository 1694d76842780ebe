<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas;

/**
 * The objects of the HTTP API as arrays: `@phpstan-import-type CreateDocument from \Pinkas\Shapes`.
 *
 * @phpstan-type Allocation array{
 *     status: 'not_required'|'issued'|'skipped_customer_tax_id_missing'|'skipped_business_tax_id_missing'|'failed',
 *     number: string|null,
 *     reason: string|null,
 * }
 * @phpstan-type AllocationFailedEvent array{
 *     id: string,
 *     type: 'allocation.failed',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         allocation: EventAllocation,
 *     },
 * }
 * @phpstan-type AllocationIssuedEvent array{
 *     id: string,
 *     type: 'allocation.issued',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         allocation: EventAllocation,
 *     },
 * }
 * @phpstan-type AllocationRefusedEvent array{
 *     id: string,
 *     type: 'allocation.refused',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         allocation: EventAllocation,
 *     },
 * }
 * @phpstan-type AuthorityDisconnectedEvent array{
 *     id: string,
 *     type: 'authority.disconnected',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         connection: EventConnection,
 *     },
 * }
 * @phpstan-type AuthorityExpiringEvent array{
 *     id: string,
 *     type: 'authority.expiring',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         connection: EventConnection,
 *     },
 * }
 * @phpstan-type CancelDocument array{
 *     reason?: string|null,
 * }
 * @phpstan-type CreateDocument array{
 *     type: DocumentType,
 *     date?: string|null,
 *     due_date?: string|null,
 *     customer: CustomerInput,
 *     foreign_donor?: ForeignDonor|null,
 *     items: list<ItemInput>,
 *     prices_include_vat?: bool|null,
 *     discount?: DiscountInput|null,
 *     payments?: list<PaymentInput>|null,
 *     based_on?: string|null,
 *     title?: string|null,
 *     notes?: string|null,
 *     expected_total?: Money|null,
 *     send?: bool|null,
 *     external_ref?: string|null,
 * }
 * @phpstan-type CreatedDocument array{
 *     id: string,
 *     public_id: string,
 *     type: DocumentType,
 *     number: int,
 *     status: DocumentStatus,
 *     date: string,
 *     due_date: string|null,
 *     external_ref: string|null,
 *     customer: DocumentCustomer,
 *     totals: Totals,
 *     allocation_number: string|null,
 *     view_url: string,
 *     pdf_url: string,
 *     based_on: string|null,
 *     cancelled_at: string|null,
 *     created_at: string,
 *     allocation: Allocation,
 *     delivery: Delivery,
 *     donation?: Donation|null,
 * }
 * @phpstan-type Customer array{
 *     id: string,
 *     name: string,
 *     tax_id: string|null,
 *     legal_type: CustomerLegalType|null,
 *     email: string|null,
 *     phone: string|null,
 *     city: string|null,
 * }
 * @phpstan-type CustomerInput array{
 *     id?: string|null,
 *     name?: string|null,
 *     tax_id?: string|null,
 *     legal_type?: CustomerLegalType|null,
 *     email?: string|null,
 *     phone?: string|null,
 *     address?: string|null,
 *     city?: string|null,
 *     identity_confirmed?: bool|null,
 * }
 * @phpstan-type CustomerLegalType 'hevra_baam'|'osek_murshe'|'osek_patur'|'amuta'|'private'
 * @phpstan-type CustomerList array{
 *     data: list<Customer>,
 * }
 * @phpstan-type CustomerQuery array{
 *     q?: string|null,
 *     limit?: int|null,
 * }
 * @phpstan-type Delivery array{
 *     status: 'queued'|'deferred_quiet_hours'|'disabled'|'suppressed'|'no_recipient'|'send_failed',
 *     channel: 'email'|'whatsapp'|'both'|null,
 *     scheduled_for: string|null,
 * }
 * @phpstan-type DeliveryFailedEvent array{
 *     id: string,
 *     type: 'delivery.failed',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         delivery: EventDelivery,
 *     },
 * }
 * @phpstan-type DeliverySentEvent array{
 *     id: string,
 *     type: 'delivery.sent',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         delivery: EventDelivery,
 *     },
 * }
 * @phpstan-type DiscountInput array{
 *     type: 'percent'|'amount',
 *     value: Money|int|float,
 * }
 * @phpstan-type Document array{
 *     id: string,
 *     public_id: string,
 *     type: DocumentType,
 *     number: int,
 *     status: DocumentStatus,
 *     date: string,
 *     due_date: string|null,
 *     external_ref: string|null,
 *     customer: DocumentCustomer,
 *     totals: Totals,
 *     allocation_number: string|null,
 *     view_url: string,
 *     pdf_url: string,
 *     based_on: string|null,
 *     cancelled_at: string|null,
 *     created_at: string,
 * }
 * @phpstan-type DocumentCancelledEvent array{
 *     id: string,
 *     type: 'document.cancelled',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *     },
 * }
 * @phpstan-type DocumentClosedEvent array{
 *     id: string,
 *     type: 'document.closed',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         closed_by: string,
 *     },
 * }
 * @phpstan-type DocumentCustomer array{
 *     id: string|null,
 *     name: string|null,
 *     tax_id: string|null,
 * }
 * @phpstan-type DocumentDetail array{
 *     id: string,
 *     public_id: string,
 *     type: DocumentType,
 *     number: int,
 *     status: DocumentStatus,
 *     date: string,
 *     due_date: string|null,
 *     external_ref: string|null,
 *     customer: DocumentCustomer,
 *     totals: Totals,
 *     allocation_number: string|null,
 *     view_url: string,
 *     pdf_url: string,
 *     based_on: string|null,
 *     cancelled_at: string|null,
 *     created_at: string,
 *     allocation: Allocation,
 *     delivery: Delivery,
 *     donation?: Donation|null,
 *     title: string|null,
 *     notes: string|null,
 *     items: list<DocumentItem>,
 *     payments: list<DocumentPayment>,
 * }
 * @phpstan-type DocumentIssuedEvent array{
 *     id: string,
 *     type: 'document.issued',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *     },
 * }
 * @phpstan-type DocumentItem array{
 *     description: string,
 *     quantity: int|float,
 *     unit_price: Money,
 *     line_total: Money,
 *     sku: string|null,
 * }
 * @phpstan-type DocumentPage array{
 *     data: list<CreatedDocument>,
 *     next_cursor: string|null,
 * }
 * @phpstan-type DocumentPayment array{
 *     method: PaymentMethod,
 *     amount: Money,
 *     date: string,
 *     reference: string|null,
 *     check_number: string|null,
 *     bank_code: int|null,
 *     card_last_digits: string|null,
 * }
 * @phpstan-type DocumentPreview array{
 *     type: DocumentType,
 *     date: string,
 *     due_date: string|null,
 *     totals: Totals,
 *     allocation: array{
 *         status: 'required'|'not_required'|'skipped_customer_tax_id_missing'|'skipped_business_tax_id_missing',
 *     },
 *     delivery: Delivery,
 *     customer: array{
 *         id: string|null,
 *         matched_by: 'id'|'name'|null,
 *     },
 *     warnings: list<array{
 *         code: 'number_not_connected'|'number_customer_tax_id_missing'|'number_business_tax_id_missing'|'customer_tax_id_missing'|'donation_not_connected'|'donation_donor_id_missing'|'source_overpaid'|'source_overcredited'|'source_invoiced_twice'|'source_of_other_customer'|'date_in_past'|'due_date_passed'|'total_is_zero'|'payments_rounded'|'phone_unusable'|'recipient_missing'|'recipient_suppressed'|'sending_not_possible',
 *         message: string,
 *         message_he: string,
 *     }>,
 * }
 * @phpstan-type DocumentQuery array{
 *     type?: DocumentType|null,
 *     from?: string|null,
 *     to?: string|null,
 *     external_ref?: string|null,
 *     include_cancelled?: bool|null,
 *     limit?: int|null,
 *     cursor?: string|null,
 * }
 * @phpstan-type DocumentStatus 'open'|'closed'|'cancelled'
 * @phpstan-type DocumentType 'quote'|'order'|'delivery_note'|'return_note'|'proforma'|'tax_invoice'|'tax_invoice_receipt'|'receipt'|'credit_note'|'donation_receipt'
 * @phpstan-type DocumentTypeEntry array{
 *     type: DocumentType,
 *     name: string,
 *     name_he: string,
 *     requires_payments: bool,
 *     allows_discount: bool,
 *     based_on_types: list<DocumentType>,
 *     based_on_required: bool,
 * }
 * @phpstan-type Donation array{
 *     status: 'not_required'|'reported'|'pending'|'failed'|'refused'|'cancelled',
 *     number: string|null,
 *     reason: string|null,
 * }
 * @phpstan-type DonationFailedEvent array{
 *     id: string,
 *     type: 'donation.failed',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         donation: Donation,
 *     },
 * }
 * @phpstan-type DonationRefusedEvent array{
 *     id: string,
 *     type: 'donation.refused',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         donation: Donation,
 *     },
 * }
 * @phpstan-type DonationReportedEvent array{
 *     id: string,
 *     type: 'donation.reported',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         donation: Donation,
 *     },
 * }
 * @phpstan-type EndpointTestEvent array{
 *     id: string,
 *     type: 'endpoint.test',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array<string, mixed>,
 * }
 * @phpstan-type ErrorCatalogueEntry array{
 *     code: string,
 *     http_status: int,
 *     retryable: bool,
 *     message: string,
 *     message_he: string,
 *     hint: string|null,
 *     doc_url: string,
 *     details: list<string>,
 * }
 * @phpstan-type ErrorCode 'unauthorized'|'key_revoked'|'subscription_required'|'business_archived'|'business_profile_incomplete'|'external_provider_not_supported'|'issuing_blocked_expenses_only'|'insufficient_scope'|'not_found'|'customer_not_found'|'based_on_not_found'|'invalid_json'|'validation_error'|'missing_idempotency_key'|'invalid_customer_tax_id'|'idempotency_key_reused'|'request_in_progress'|'customer_identity_conflict'|'legal_type_forbidden'|'payments_required'|'payments_not_allowed'|'payments_total_mismatch'|'discount_not_allowed'|'based_on_required'|'based_on_type_not_allowed'|'based_on_cancelled'|'total_mismatch'|'future_date'|'date_before_last_document'|'use_credit_note'|'already_cancelled'|'linked_document_closed'|'rate_limited'|'daily_limit_reached'|'payload_too_large'|'document_generation_failed'|'engine_error'|'api_disabled'|'internal_error'
 * @phpstan-type EventAllocation array{
 *     status: 'issued'|'refused'|'failed',
 *     number: string|null,
 *     reason: string|null,
 * }
 * @phpstan-type EventConnection array{
 *     valid_until: string|null,
 * }
 * @phpstan-type EventDelivery array{
 *     channel: 'email'|'whatsapp',
 *     purpose: 'customer'|'accountant',
 *     recipient: string,
 *     attempt: int,
 *     reason: string|null,
 * }
 * @phpstan-type EventPage array{
 *     data: list<PinkasEvent>,
 *     next_cursor: string,
 * }
 * @phpstan-type EventQuery array{
 *     type?: list<EventType>|null,
 *     document_id?: string|null,
 *     limit?: int|null,
 *     cursor?: string|null,
 * }
 * @phpstan-type EventType 'document.issued'|'document.cancelled'|'document.closed'|'allocation.issued'|'allocation.refused'|'allocation.failed'|'donation.reported'|'donation.refused'|'donation.failed'|'delivery.sent'|'delivery.failed'|'reminder.sent'|'reminder.failed'|'authority.expiring'|'authority.disconnected'|'endpoint.test'
 * @phpstan-type ForeignDonor array{
 *     country: string,
 *     passport?: string|null,
 * }
 * @phpstan-type IssuedDocument array{
 *     id: string,
 *     public_id: string,
 *     type: DocumentType,
 *     number: int,
 *     status: DocumentStatus,
 *     date: string,
 *     due_date: string|null,
 *     external_ref: string|null,
 *     customer: DocumentCustomer,
 *     totals: Totals,
 *     allocation_number: string|null,
 *     view_url: string,
 *     pdf_url: string,
 *     based_on: string|null,
 *     cancelled_at: string|null,
 *     created_at: string,
 *     allocation: Allocation,
 *     delivery: Delivery,
 *     donation?: Donation|null,
 *     warnings: list<array{
 *         code: 'number_not_connected'|'number_customer_tax_id_missing'|'number_business_tax_id_missing'|'customer_tax_id_missing'|'donation_not_connected'|'donation_donor_id_missing'|'source_overpaid'|'source_overcredited'|'source_invoiced_twice'|'source_of_other_customer'|'date_in_past'|'due_date_passed'|'total_is_zero'|'payments_rounded'|'phone_unusable'|'recipient_missing'|'recipient_suppressed'|'sending_not_possible',
 *         message: string,
 *         message_he: string,
 *     }>,
 * }
 * @phpstan-type ItemInput array{
 *     description: string,
 *     quantity: int|float,
 *     unit_price: Money,
 *     sku?: string|null,
 * }
 * @phpstan-type LoggedRequest array{
 *     request_id: string,
 *     timestamp: string,
 *     method: string,
 *     route: string|null,
 *     status: int,
 *     code: string|null,
 *     idempotency_key: string|null,
 *     replayed: bool,
 *     document_id: string|null,
 *     duration_ms: int,
 *     errors: list<array{
 *         path: string,
 *         message: string,
 *         message_he: string,
 *     }>,
 *     details?: array{
 *         existing_customer_id?: string|null,
 *         total?: Money|null,
 *         allowed_source_types?: list<DocumentType>|null,
 *         computed_total?: Money|null,
 *         last_document_date?: string|null,
 *     }|null,
 *     body?: array<string, mixed>|null,
 *     body_truncated: bool,
 * }
 * @phpstan-type PaymentInput array{
 *     method: PaymentMethod,
 *     amount: Money,
 *     date?: string|null,
 *     reference?: string|null,
 *     check_number?: string|null,
 *     check_date?: string|null,
 *     bank_code?: int|null,
 *     branch?: string|null,
 *     account?: string|null,
 *     card_last_digits?: string|null,
 *     card_type?: string|null,
 * }
 * @phpstan-type PaymentMethod 'cash'|'check'|'credit_card'|'bank_transfer'|'wallet_method_1'|'wallet_method_2'|'wallet_method_3'|'wallet_method_4'|'wallet_method_5'
 * @phpstan-type PinkasEvent DocumentIssuedEvent|DocumentCancelledEvent|DocumentClosedEvent|AllocationIssuedEvent|AllocationRefusedEvent|AllocationFailedEvent|DonationReportedEvent|DonationRefusedEvent|DonationFailedEvent|DeliverySentEvent|DeliveryFailedEvent|ReminderSentEvent|ReminderFailedEvent|AuthorityExpiringEvent|AuthorityDisconnectedEvent|EndpointTestEvent
 * @phpstan-type Profile array{
 *     mode: 'live'|'test',
 *     business: array{
 *         id: string,
 *         name: string,
 *         legal_type: string,
 *         legal_type_he: string,
 *         tax_id: string|null,
 *         vat_rate: int|float,
 *         prices_include_vat: bool,
 *     },
 *     allowed_document_types: list<DocumentType>,
 *     tax_authority_connected: bool,
 *     allocation_threshold_net: Money,
 *     auto_send: array{
 *         enabled: bool,
 *         channel: 'email'|'whatsapp'|'both',
 *         quiet_hours: string|null,
 *     },
 *     limits: array{
 *         per_minute: int,
 *         daily_documents: int,
 *         used_today: int,
 *     },
 *     key: array{
 *         name: string,
 *         prefix: string,
 *         scopes: list<'documents:write'|'documents:read'|'customers:read'>,
 *         created_at: string,
 *     },
 * }
 * @phpstan-type ReminderFailedEvent array{
 *     id: string,
 *     type: 'reminder.failed',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         delivery: EventDelivery,
 *     },
 * }
 * @phpstan-type ReminderSentEvent array{
 *     id: string,
 *     type: 'reminder.sent',
 *     timestamp: string,
 *     mode: 'live'|'test',
 *     business_id: string,
 *     data: array{
 *         document: CreatedDocument,
 *         delivery: EventDelivery,
 *     },
 * }
 * @phpstan-type Totals array{
 *     subtotal: Money,
 *     discount: Money,
 *     vat: Money,
 *     vat_rate: int|float,
 *     total: Money,
 *     paid: Money,
 *     currency: 'ILS',
 * }
 */
final class Shapes
{
    /** The members that are amounts. */
    public const AMOUNTS = [
        'expected_total',
        'unit_price',
        'line_total',
        'amount',
        'total',
        'computed_total',
        'allocation_threshold_net',
        'subtotal',
        'discount',
        'vat',
        'paid',
    ];
}
