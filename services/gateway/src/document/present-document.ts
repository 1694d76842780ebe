import type {
  AllocationOutcome,
  CancelledDocument,
  CreatedDocument,
  DeliveryOutcome,
  DocumentDetail,
  DocumentHead,
  DocumentState,
  DocumentView,
} from '@pinkas/contracts';
import type { GatewayConfig } from '../config.js';

/** The addresses under which documents are shown. */
export type Addresses = Pick<GatewayConfig, 'viewUrlBase' | 'pdfUrlBase'>;

/** A document as lists know it, with what is known of it now. */
interface HeadView {
  readonly document: DocumentHead;
  readonly state: DocumentState;
}

/** What every answer with a document says of it (interface 2.4); cancelling answers with just that. */
export function presentHead({ document, state }: HeadView, addresses: Addresses): CancelledDocument {
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

/** What POST /documents answers, and what GET /documents lists. */
export function presentCreated(
  view: HeadView & { readonly allocation: AllocationOutcome; readonly delivery: DeliveryOutcome },
  addresses: Addresses,
): CreatedDocument {
  return { ...presentHead(view, addresses), allocation: view.allocation, delivery: view.delivery };
}

/** What GET /documents/{id} answers. */
export function presentDetail(view: DocumentView, addresses: Addresses): DocumentDetail {
  const { title, notes, items, payments } = view.document;
  return {
    ...presentHead(view, addresses),
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
