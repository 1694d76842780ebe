import {
  type Business,
  type DocumentHead,
  type DocumentState,
  type IssuedDocument,
  type Issuer,
  type ListedDocument,
  type PreviewWarning,
} from '@pinkas/contracts';
import { type Agorot, documentTypeRules, fromShekels, settlesSource, statusAtIssue } from '@pinkas/domain';
import { decimalOf } from './amounts.js';
import { type DocumentRow, type HeadRow, type NewDocumentRow } from './document.repository.js';
import { donationPending, type KnownOutcomes, withPendingOutcomes } from './known-outcomes.js';

/** A document as lists show it, from its row. */
export function toHead(row: HeadRow): DocumentHead {
  return {
    id: row.id,
    business_id: row.business_id,
    public_id: row.public_id,
    type: row.type,
    number: row.number,
    date: row.dated_on,
    due_date: row.due_on,
    issued_at: row.issued_at.toISOString(),
    external_ref: row.external_ref,
    customer: row.customer,
    totals: {
      subtotal: Number(row.subtotal),
      discount: Number(row.discount),
      vat: Number(row.vat),
      vat_rate: Number(row.vat_rate),
      total: Number(row.total),
      currency: 'ILS',
    },
    based_on: row.source,
  };
}

/** A document as it was issued, from its row. */
export function toDocument(row: DocumentRow): IssuedDocument {
  return {
    ...toHead(row),
    items: row.items,
    prices_include_vat: row.prices_include_vat,
    discount: row.discount_rule,
    payments: row.payments,
    title: row.title,
    notes: row.notes,
    send: row.send,
    ...(row.foreign_donor && { foreign_donor: row.foreign_donor }),
    ...(row.type === 'receipt' && Number(row.withheld) > 0 && { withheld: Number(row.withheld) }),
  };
}

/** The current state of a document, from its row. */
export function toState(row: HeadRow): DocumentState {
  return {
    status: row.status,
    paid: Number(row.paid),
    ...(Number(row.set_off) > 0 && { set_off: Number(row.set_off) }),
    ...(row.type !== 'receipt' && Number(row.withheld) > 0 && { withheld: Number(row.withheld) }),
    allocation_number: row.allocation_number,
    ...(row.type === 'donation_receipt' && { donation: row.donation ?? donationPending }),
    ...(row.allocation?.refusal && { refusal: row.allocation.refusal }),
    cancelled_at: row.cancelled_at?.toISOString() ?? null,
  };
}

/** A document as lists show it now, from its row. */
export function listedDocument(
  row: HeadRow & Pick<KnownOutcomes, 'allocation' | 'delivery'>,
): ListedDocument {
  const { allocation, delivery } = withPendingOutcomes({ ...row, donation: undefined });
  return { document: toHead(row), state: toState(row), allocation, delivery };
}

/** What the row of a document has in addition to what was issued. */
interface IssueFacts {
  readonly business: Business;
  readonly issuedAt: Date;
  readonly paid: Agorot;
  /** The customer of the document that it is based on. */
  readonly sourceCustomerId: string | undefined;
  readonly body_sha256: Buffer;
  readonly idempotency_key: string;
  readonly issuer: Issuer;
  readonly artifact_sha256: string;
  readonly outcomes: KnownOutcomes;
  readonly warnings: readonly PreviewWarning[];
}

/** The row of a document that is being issued. */
export function toRow(document: IssuedDocument, issue: IssueFacts): NewDocumentRow {
  const { totals, based_on: source, customer } = document;
  const { allocation, delivery, donation } = issue.outcomes;
  return {
    business_id: document.business_id,
    id: document.id,
    public_id: document.public_id,
    type: document.type,
    number: document.number,
    status: statusAtIssue(document.type, fromShekels(totals.total)),
    dated_on: document.date,
    due_on: document.due_date,
    issued_at: issue.issuedAt,
    cancelled_at: null,
    cancel_reason: null,
    external_ref: document.external_ref,
    idempotency_key: issue.idempotency_key,
    body_sha256: issue.body_sha256,
    key_id: issue.issuer.kind === 'key' ? issue.issuer.id : null,
    person_id: issue.issuer.kind === 'person' ? issue.issuer.id : null,
    business: issue.business,
    customer_id: customer.id,
    customer: customer,
    account_id: (settlesSource(document.type) && issue.sourceCustomerId) || customer.id,
    items: document.items,
    prices_include_vat: document.prices_include_vat,
    discount_rule: document.discount,
    payments: document.payments,
    subtotal: totals.subtotal.toFixed(2),
    discount: totals.discount.toFixed(2),
    vat: totals.vat.toFixed(2),
    vat_rate: String(totals.vat_rate),
    total: totals.total.toFixed(2),
    total_agorot: Number(fromShekels(totals.total)),
    paid: decimalOf(issue.paid),
    set_off: '0.00',
    withheld: (document.withheld ?? 0).toFixed(2),
    balance: documentTypeRules[document.type].dueDate ? totals.total.toFixed(2) : null,
    source_id: source?.id ?? null,
    source: source,
    title: document.title,
    notes: document.notes,
    send: document.send,
    foreign_donor: document.foreign_donor ?? null,
    artifact_sha256: issue.artifact_sha256,
    allocation_number: null,
    allocation,
    delivery,
    donation: donation ?? null,
    warnings: [...issue.warnings],
    reply_outcomes:
      allocation && donation !== null ? { allocation, delivery, ...(donation && { donation }) } : null,
  };
}
