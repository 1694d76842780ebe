import { createHash } from 'node:crypto';
import { canonicalJson } from '@pinkas/contracts';
import type { NewDocumentRow } from '../document/document.repository.js';

/** What may change after the issue, as the trail records it. */
export interface RecordedState {
  status: string;
  /** With two decimals. */
  paid: string;
  allocation_number: string | null;
  cancelled_at: string | null;
  cancel_reason: string | null;
  /** Of a donation receipt alone, as what follows. */
  donation_number?: string | null;
  donation_status?: string | null;
}

type StateColumns = Pick<
  NewDocumentRow,
  'type' | 'status' | 'paid' | 'allocation_number' | 'cancelled_at' | 'cancel_reason' | 'donation'
>;

/** The state of a row, as the trail records it. */
export function stateOf(row: StateColumns): RecordedState {
  return {
    status: row.status,
    paid: row.paid,
    allocation_number: row.allocation_number,
    cancelled_at: row.cancelled_at?.toISOString() ?? null,
    cancel_reason: row.cancel_reason,
    ...(row.type === 'donation_receipt' && {
      donation_number: row.donation?.number ?? null,
      donation_status: row.donation?.status ?? null,
    }),
  };
}

/**
 * The hash of a document: SHA-256 over the canonical form (RFC 8785) of everything that is fixed at its issue, the state that it was
 * issued in, and the hash of the document before it in its series. Its place in the lists is not in it, which only the insert knows.
 * @param issued the state at the issue.
 * @param previous null for the first document of the series.
 */
export function documentHash(row: HashedRow, issued: RecordedState, previous: Buffer | null): Buffer {
  return createHash('sha256')
    .update(hashedFacts(row, issued, previous))
    .digest();
}

type HashedRow = Omit<
  NewDocumentRow,
  Exclude<keyof StateColumns, 'type'> | 'allocation' | 'delivery' | 'reply_outcomes' | 'warnings'
>;

/** What the hash of a document is of. */
export function hashedFacts(row: HashedRow, issued: RecordedState, previous: Buffer | null): string {
  return canonicalJson({
    previous: previous?.toString('hex') ?? null,
    state: issued,
    business_id: row.business_id,
    id: row.id,
    public_id: row.public_id,
    type: row.type,
    number: row.number,
    dated_on: row.dated_on,
    due_on: row.due_on,
    issued_at: row.issued_at.toISOString(),
    external_ref: row.external_ref,
    idempotency_key: row.idempotency_key,
    body_sha256: row.body_sha256.toString('hex'),
    key_id: row.key_id,
    person_id: row.person_id,
    business: row.business,
    customer_id: row.customer_id,
    customer: row.customer,
    items: row.items,
    prices_include_vat: row.prices_include_vat,
    discount_rule: row.discount_rule,
    payments: row.payments,
    subtotal: row.subtotal,
    discount: row.discount,
    vat: row.vat,
    vat_rate: Number(row.vat_rate).toFixed(2),
    total: row.total,
    source_id: row.source_id,
    source: row.source,
    title: row.title,
    notes: row.notes,
    send: row.send,
    ...(row.foreign_donor && { foreign_donor: row.foreign_donor }),
    // Of an invoice it changes.
    ...(row.type === 'receipt' && Number(row.withheld) > 0 && { withheld: row.withheld }),
    artifact_sha256: row.artifact_sha256,
  });
}
