import { fromShekels, sum, toShekels } from '@pinkas/domain';
import type { ReplyOf } from '../define.js';
import type { DocumentView, issueDocument, previewDocument } from '../issuing/index.js';
import {
  type AllocationOutcome,
  allocationPending,
  type DeliveryOutcome,
  type DocumentHead,
  type DocumentState,
} from '../schema/document.js';
import {
  type PreviewWarning,
  previewWarnings,
  previewWarningTexts,
  warningsOf,
} from '../schema/preview-warnings.js';
import type {
  CancelledDocument,
  CreatedDocument,
  DocumentDetail,
  DocumentPreview,
  NewDocument,
} from './routes.js';

/** The public addresses of pages and PDFs. */
export interface PublicUrls {
  readonly viewUrlBase: string;
  readonly pdfUrlBase: string;
}

/** The head of a document, and its current state. */
interface HeadView {
  readonly document: DocumentHead;
  readonly state: DocumentState;
}

/** The members that every response with a document has (interface 2.4); cancelling returns only these. */
export function toCancelledDocument({ document, state }: HeadView, addresses: PublicUrls): CancelledDocument {
  const { totals, customer } = document;
  return {
    id: document.id,
    public_id: document.public_id,
    type: document.type,
    number: document.number,
    status: state.status,
    date: document.date,
    due_date: document.due_date,
    external_ref: document.external_ref,
    customer: { id: customer.id, name: customer.name, tax_id: customer.tax_id },
    totals: {
      subtotal: totals.subtotal,
      discount: totals.discount,
      vat: totals.vat,
      vat_rate: totals.vat_rate,
      total: totals.total,
      paid: state.paid,
      currency: totals.currency,
    },
    allocation_number: state.allocation_number,
    view_url: `${addresses.viewUrlBase}/${document.public_id}`,
    pdf_url: `${addresses.pdfUrlBase}/${document.public_id}`,
    based_on: document.based_on?.id ?? null,
    cancelled_at: state.cancelled_at,
    created_at: document.issued_at,
  };
}

/** An item of GET /documents, and the document of an event. */
export function toCreatedDocument(
  view: HeadView & { readonly allocation: AllocationOutcome; readonly delivery: DeliveryOutcome },
  addresses: PublicUrls,
): CreatedDocument {
  const { allocation, delivery } = view;
  const { donation } = view.state;
  return {
    ...toCancelledDocument(view, addresses),
    // Member by member, so that a replay is the same text as the first response.
    allocation: { status: allocation.status, number: allocation.number, reason: allocation.reason },
    delivery: {
      status: delivery.status,
      channel: delivery.channel,
      scheduled_for: delivery.scheduled_for,
    },
    ...(donation && {
      donation: { status: donation.status, number: donation.number, reason: donation.reason },
    }),
  };
}

/** The response of POST /documents. */
export function toNewDocument(view: ReplyOf<typeof issueDocument>, addresses: PublicUrls): NewDocument {
  const stored = view.warnings ?? [];
  const known = previewWarnings.filter((code) => stored.includes(code));
  return { ...toCreatedDocument(view, addresses), warnings: known.map(toWarning) };
}

function toWarning(code: PreviewWarning) {
  const { message, messageHe } = previewWarningTexts[code];
  return { code, message, message_he: messageHe };
}

/** The response of POST /documents/preview. */
export function toDocumentPreview(reply: ReplyOf<typeof previewDocument>): DocumentPreview {
  const { draft, allocation, delivery, matched_by } = reply;
  const { type, date, due_date, totals, customer, payments } = draft;
  const { subtotal, discount, vat, vat_rate, total, currency } = totals;
  const paid = toShekels(sum(payments.map(({ amount }) => fromShekels(amount))));
  return {
    type,
    date,
    due_date,
    totals: { subtotal, discount, vat, vat_rate, total, paid, currency },
    allocation: { status: allocation.status },
    delivery: {
      status: delivery.status,
      channel: delivery.channel,
      scheduled_for: delivery.scheduled_for,
    },
    customer: { id: customer.id, matched_by },
    warnings: warningsOf(reply).map(toWarning),
  };
}

/**
 * The response of GET /documents/{id}.
 * @param view its `allocation` is null until the outcome is recorded.
 */
export function toDocumentDetail(
  view: DocumentView & { readonly allocation: AllocationOutcome | null; readonly delivery: DeliveryOutcome },
  addresses: PublicUrls,
): DocumentDetail {
  const { title, notes, items, payments } = view.document;
  return {
    ...toCreatedDocument({ ...view, allocation: view.allocation ?? allocationPending }, addresses),
    title,
    notes,
    items,
    payments: payments.map((payment) => ({
      method: payment.method,
      amount: payment.amount,
      date: payment.date,
      reference: payment.reference,
      check_number: payment.check_number,
      bank_code: payment.bank_code,
      card_last_digits: payment.card_last_digits,
    })),
  };
}
