import { type Business, type CreateDocument, dueDateErrors } from '@pinkas/contracts';
import {
  type Agorot,
  addDays,
  computeTotals,
  type DocumentType,
  documentTypeRules,
  dueOn,
  fromShekels,
  hasValidCheckDigit,
  mayIssue,
  type PaymentTerms,
  sum,
  type Totals,
  TotalsError,
  type TotalsRefusal,
  toShekels,
  withinOneAgora,
} from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';

/** What the messages of refused totals say, in Hebrew. */
const totalsRefusalsHe: Readonly<Record<TotalsRefusal, string>> = {
  discount_above_sum: 'ההנחה גדולה מסכום הביניים.',
  percent_above_100: 'הנחה באחוזים אינה יכולה לעלות על 100.',
  amount_above_limit: 'הסכום גדול מ-999,999,999,999.99, הסכום המרבי במסמך.',
};

/** What is left out of the checks. */
export interface RequestChecks {
  /** Whether the payments are still being filled in: they are neither required nor compared with the total. */
  readonly paymentsOpen?: boolean;
}

/**
 * The rules that need nothing but the request, the business and the day, in the order that the interface fixes.
 * @param today the day in Asia/Jerusalem.
 * @throws ApiError for the first rule that refuses.
 */
export function checkRequest(
  body: CreateDocument,
  business: Business,
  today: string,
  { paymentsOpen = false }: RequestChecks = {},
): void {
  const rules = documentTypeRules[body.type];
  if (!business.legal_type || !mayIssue(business.legal_type, body.type)) {
    throw new ApiError('legal_type_forbidden');
  }
  if (rules.payments === 'required' && !body.payments && !paymentsOpen && !isFree(body, business)) {
    throw new ApiError('payments_required');
  }
  if (rules.payments === 'forbidden' && body.payments) {
    throw new ApiError('payments_not_allowed');
  }
  if (rules.discount === 'forbidden' && body.discount) {
    throw new ApiError('discount_not_allowed');
  }
  if (rules.sourceRequired && !body.based_on) {
    throw new ApiError('based_on_required');
  }
  const taxId = body.customer.tax_id;
  if (taxId !== undefined && !hasValidCheckDigit(taxId)) {
    throw new ApiError('invalid_customer_tax_id');
  }
  if (body.date !== undefined && body.date > today) {
    throw new ApiError('future_date');
  }
}

/** The payment terms of a customer: its own, or those of the business. */
export const termsOf = (business: Business, ofCustomer: PaymentTerms | undefined): PaymentTerms =>
  ofCustomer ?? { days: business.payment_terms_days, from: business.payment_terms_from ?? 'date' };

/** The due date, for the types that have one. */
export function dueDate(body: CreateDocument, terms: PaymentTerms, date: string): string | null {
  if (!documentTypeRules[body.type].dueDate) {
    return null;
  }
  return body.due_date ?? dueOn(date, terms);
}

/** @throws ApiError when the request's due date does not fit the type and the date of the document. */
export function checkDueDate(body: CreateDocument, date: string): void {
  const errors = dueDateErrors({ ...body, date });
  if (errors.length > 0) {
    throw ApiError.invalid(errors);
  }
}

/** The facts of an issued document that the rules use. */
interface SourceFacts {
  type: DocumentType;
  status: 'open' | 'closed' | 'cancelled';
}

/** @throws ApiError when a document of this type cannot be based on the source. */
export function checkSource(type: DocumentType, source: SourceFacts): void {
  const allowed = documentTypeRules[type].sources;
  if (!allowed.includes(source.type)) {
    throw new ApiError('based_on_type_not_allowed', { details: { allowed_source_types: allowed } });
  }
  if (source.status === 'cancelled') {
    throw new ApiError('based_on_cancelled');
  }
}

/**
 * @param invoiced whether a tax invoice, or a tax invoice / receipt, is based on the document.
 * @throws ApiError when the document cannot be cancelled.
 */
export function checkCancellable(document: SourceFacts, invoiced: boolean): void {
  if (!documentTypeRules[document.type].cancellable) {
    throw new ApiError('use_credit_note');
  }
  if (document.status === 'cancelled') {
    throw new ApiError('already_cancelled');
  }
  // What was delivered or given back is the basis of its invoice; a quote, an order or a proforma only led to it.
  const isNote = document.type === 'delivery_note' || document.type === 'return_note';
  if (isNote && invoiced) {
    throw new ApiError('linked_document_closed');
  }
}

/**
 * The VAT rate of a document, in percent: that of the business, and for a credit note that of the document that it corrects,
 * whatever the rate is now. A credit at another rate than its invoice would report VAT that no one charged, or leave some.
 */
export function vatRateOf(
  type: DocumentType,
  business: Pick<Business, 'vat_rate'>,
  source: { vat_rate: number } | null,
): number {
  return type === 'credit_note' && source !== null ? source.vat_rate : business.vat_rate;
}

/** @throws TotalsError for totals that no document can have. */
function computedTotals(body: CreateDocument, business: Business, vatRate: number): Totals {
  return computeTotals({
    vatRate,
    pricesIncludeVat: body.prices_include_vat ?? business.prices_include_vat,
    items: body.items.map((item) => ({ quantity: item.quantity, unitPrice: item.unit_price })),
    discount: body.discount ?? null,
  });
}

/** Whether nothing is to be paid, at whatever rate of VAT. Totals that no document can have are refused later. */
function isFree(body: CreateDocument, business: Business): boolean {
  try {
    return computedTotals(body, business, 0).total === 0n;
  } catch (error) {
    if (error instanceof TotalsError) {
      return false;
    }
    throw error;
  }
}

/**
 * The totals of a request, compared with what the caller expects and pays.
 * @param vatRate that of the document, in percent.
 * @throws ApiError `validation_error` for totals that no document can have, `total_mismatch`, `payments_total_mismatch`.
 */
export function totalsOf(
  body: CreateDocument,
  business: Business,
  vatRate: number,
  { paymentsOpen = false }: RequestChecks = {},
): Totals {
  let totals: Totals;
  try {
    totals = computedTotals(body, business, vatRate);
  } catch (error) {
    if (error instanceof TotalsError) {
      throw ApiError.invalid([
        { path: error.path, message: error.message, message_he: totalsRefusalsHe[error.reason] },
      ]);
    }
    throw error;
  }
  if (body.expected_total !== undefined && !withinOneAgora(fromShekels(body.expected_total), totals.total)) {
    throw new ApiError('total_mismatch', { details: { computed_total: toShekels(totals.total) } });
  }
  if (body.payments && !paymentsOpen && !withinOneAgora(paymentsSum(body), totals.total)) {
    throw new ApiError('payments_total_mismatch', { details: { total: toShekels(totals.total) } });
  }
  return totals;
}

/** The sum of a request's payments. */
export function paymentsSum(body: CreateDocument): Agorot {
  return sum((body.payments ?? []).map((payment) => fromShekels(payment.amount)));
}

/** @throws ApiError when a document of this type was issued with a later date. */
export function checkSeriesDate(date: string, lastDate: string | null): void {
  if (lastDate !== null && date < lastDate) {
    throw new ApiError('date_before_last_document', { details: { last_document_date: lastDate } });
  }
}

/**
 * The date of a document whose request names none: today, or the last date of the series where midnight has passed on one
 * machine's clock and not on another's.
 * @returns null where the last date is further ahead than that: it was wrong when it was given, and must not be given again.
 */
export function defaultDate(today: string, lastDate: string | null): string | null {
  if (lastDate === null || lastDate <= today) {
    return today;
  }
  return lastDate <= addDays(today, 1) ? lastDate : null;
}

/**
 * Whether a document closes its source: a receipt of any amount its invoice or proforma, an invoice what it invoices, and a credit
 * note its invoice once credits and receipts reach the total.
 * @param source.settled what receipts and earlier credit notes have settled of the source.
 */
export function closesSource(
  document: { type: DocumentType; total: Agorot; paid: Agorot },
  source: { type: DocumentType; total: Agorot; settled: Agorot },
): boolean {
  switch (document.type) {
    case 'receipt':
      return document.paid > 0n;
    case 'tax_invoice':
    case 'tax_invoice_receipt':
      return true;
    case 'credit_note':
      return source.type === 'tax_invoice' && source.settled + document.total >= source.total;
    default:
      return false;
  }
}
