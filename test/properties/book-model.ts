import {
  type Business,
  type CancelledDocument,
  CreateDocument,
  type CreatedDocument,
  type DocumentDetail,
  type NewDocument,
  withoutEmptyTexts,
} from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { CustomerCards, type ResolvedCustomer } from './customer-cards.js';
import { agorotOf, type ExpectedTotals, expectedTotals, shekelsOf } from './expected-totals.js';
import { isRefusal, type Refusal } from './refusal.js';
import { faultPointers } from './request-faults.js';

/** A request as it is stored: an empty text is none, and every line break is one character. */
const storedBody = (sent: CreateDocument): CreateDocument =>
  JSON.parse(JSON.stringify(withoutEmptyTexts(CreateDocument, sent)), (_name, value) =>
    typeof value === 'string' ? value.replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n') : value,
  );

/** What the API and its decisions say about a type of document; written down once more, apart from the system. */
interface TypeRules {
  payments: boolean;
  discount: boolean;
  exemptMayIssue: boolean;
  sources: readonly DocumentType[];
  sourceRequired?: boolean;
  born: 'open' | 'closed';
  cancellable: boolean;
}

const plainPaper = {
  payments: false,
  discount: true,
  exemptMayIssue: true,
  born: 'open',
  cancellable: true,
} as const;
const accounting = { exemptMayIssue: false, cancellable: false } as const;

export const typeRules: Readonly<Record<DocumentType, TypeRules>> = {
  quote: { ...plainPaper, sources: [] },
  order: { ...plainPaper, sources: ['quote'] },
  delivery_note: { ...plainPaper, sources: ['quote', 'order'] },
  return_note: { ...plainPaper, sources: ['delivery_note'] },
  proforma: { ...plainPaper, sources: ['quote', 'order', 'delivery_note'] },
  tax_invoice: {
    ...accounting,
    payments: false,
    discount: true,
    born: 'open',
    sources: ['quote', 'order', 'delivery_note', 'return_note', 'proforma'],
  },
  tax_invoice_receipt: {
    ...accounting,
    payments: true,
    discount: true,
    born: 'closed',
    sources: ['quote', 'order', 'delivery_note', 'proforma'],
  },
  receipt: {
    ...accounting,
    exemptMayIssue: true,
    payments: true,
    discount: false,
    born: 'closed',
    sources: ['tax_invoice', 'proforma'],
  },
  credit_note: {
    ...accounting,
    payments: false,
    discount: true,
    born: 'closed',
    sources: ['tax_invoice', 'tax_invoice_receipt'],
    sourceRequired: true,
  },
  donation_receipt: {
    ...accounting,
    exemptMayIssue: true,
    payments: true,
    discount: false,
    born: 'closed',
    sources: [],
  },
};

/** Every type, in the order of the HTTP API. */
export const types = Object.keys(typeRules) as DocumentType[];

/** What a request would issue. */
export interface Issuable {
  body: CreateDocument;
  number: number;
  date: string;
  due_date: string | null;
  customer: ResolvedCustomer;
  totals: ExpectedTotals;
  paid: bigint;
  source: BookedDocument | undefined;
}

/** The status that it is issued in: what asks for a payment is closed where nothing is to be paid. */
export function bornOf({ body, due_date, totals }: Issuable): 'open' | 'closed' {
  return due_date !== null && totals.total === 0n ? 'closed' : typeRules[body.type].born;
}

/** A document of the book. */
export interface BookedDocument {
  readonly key: string;
  readonly body: CreateDocument;
  /** The answer of its creation, which every replay repeats. */
  readonly created: NewDocument;
  readonly detail: Pick<DocumentDetail, 'items' | 'payments' | 'title' | 'notes'>;
  status: NewDocument['status'];
  paid: bigint;
  total: bigint;
  /** The sum of the credit notes that are based on it. */
  credited: bigint;
  /** Whether a tax invoice, with or without receipt, is based on it. */
  invoiced: boolean;
  cancelledAt: string | null;
}

/** What narrows a list. */
export interface ListFilter {
  type?: DocumentType;
  from?: string;
  to?: string;
  external_ref?: string;
  include_cancelled?: boolean;
}

const daysOfIsrael = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jerusalem' });

/** The day of an instant in Israel. */
export function dayInIsrael(instant: Date): string {
  return daysOfIsrael.format(instant);
}

/** A day so many days later. */
export function laterDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

/** Israeli check digits: weights 1, 2, 1, 2, … over nine digits; of a product above nine, its digits are added. */
export function hasRightCheckDigit(taxId: string): boolean {
  const digits = Array.from(taxId.padStart(9, '0'), Number);
  const sum = digits.reduce((total, digit, index) => {
    const product = digit * (1 + (index % 2));
    return total + Math.floor(product / 10) + (product % 10);
  }, 0);
  return sum > 0 && sum % 10 === 0;
}

const withinOneAgora = (a: bigint, b: bigint): boolean => a - b <= 1n && b - a <= 1n;

/**
 * The book of one business in memory: what the HTTP API and its decisions say that it must hold after every request. It
 * shares no code with the system.
 */
export class BookModel {
  readonly documents: BookedDocument[] = [];
  readonly cards = new CustomerCards();
  /** The keys of requests that were refused; they may be sent again with any body. */
  readonly refusedKeys = new Set<string>();

  constructor(
    readonly business: Pick<Business, 'legal_type' | 'vat_rate' | 'prices_include_vat' | 'first_numbers'> & {
      payment_terms_days: number;
    },
    readonly dailyLimit: number,
  ) {}

  find(id: string): BookedDocument | undefined {
    return this.documents.find((document) => document.created.id === id.toLowerCase());
  }

  mayIssue(type: DocumentType): boolean {
    const { legal_type } = this.business;
    return legal_type === 'osek_murshe' || legal_type === 'hevra_baam' || typeRules[type].exemptMayIssue;
  }

  /** How many documents were issued on a day. */
  issuedOn(day: string): number {
    return this.documents.filter(({ created }) => dayInIsrael(new Date(created.created_at)) === day).length;
  }

  /** What becomes of a create request with a key that has issued nothing: the first rule that refuses it, or a document. */
  issue(given: unknown, today: string): Issuable | Refusal {
    const faults = faultPointers(given, today);
    if (faults.length > 0) {
      return { code: 'validation_error', details: { errors: faults } };
    }
    const body = storedBody(given as CreateDocument);
    const rules = typeRules[body.type];
    if (!this.mayIssue(body.type)) {
      return { code: 'legal_type_forbidden' };
    }
    if (rules.payments && !body.payments && !this.#isFree(body)) {
      return { code: 'payments_required' };
    }
    if (!rules.payments && body.payments) {
      return { code: 'payments_not_allowed' };
    }
    if (!rules.discount && body.discount) {
      return { code: 'discount_not_allowed' };
    }
    if (rules.sourceRequired && body.based_on === undefined) {
      return { code: 'based_on_required' };
    }
    const taxId = body.customer.tax_id;
    if (taxId !== undefined && !hasRightCheckDigit(taxId)) {
      return { code: 'invalid_customer_tax_id' };
    }
    const date = body.date ?? today;
    if (date > today) {
      return { code: 'future_date' };
    }
    const source = body.based_on === undefined ? undefined : this.find(body.based_on);
    if (body.based_on !== undefined && !source) {
      return { code: 'based_on_not_found' };
    }
    if (source && !rules.sources.includes(source.body.type)) {
      return { code: 'based_on_type_not_allowed', details: { allowed_source_types: [...rules.sources] } };
    }
    if (source?.status === 'cancelled') {
      return { code: 'based_on_cancelled' };
    }
    const totals = this.totals(body);
    if ('fault' in totals) {
      return { code: 'validation_error', details: { errors: [totals.fault] } };
    }
    const { total } = totals;
    if (body.expected_total !== undefined && !withinOneAgora(agorotOf(body.expected_total), total)) {
      return { code: 'total_mismatch', details: { computed_total: shekelsOf(total) } };
    }
    const paid = (body.payments ?? []).reduce((sum, payment) => sum + agorotOf(payment.amount), 0n);
    if (body.payments && !withinOneAgora(paid, total)) {
      return { code: 'payments_total_mismatch', details: { total: shekelsOf(total) } };
    }
    const customer = this.cards.resolve(body.customer);
    if (isRefusal(customer)) {
      return customer;
    }
    if (this.issuedOn(today) >= this.dailyLimit) {
      return { code: 'daily_limit_reached' };
    }
    const series = this.documents.filter((document) => document.body.type === body.type);
    const last = series.at(-1)?.created.date;
    if (last !== undefined && date < last) {
      return { code: 'date_before_last_document', details: { last_document_date: last } };
    }
    const falls = body.type === 'tax_invoice' || body.type === 'proforma';
    return {
      body,
      number: (this.business.first_numbers[body.type] ?? 1) + series.length,
      date,
      due_date: falls ? (body.due_date ?? laterDay(date, this.business.payment_terms_days)) : null,
      customer,
      totals,
      paid,
      source,
    };
  }

  /** The VAT rate of a valid body: a credit note has that of its source, whatever the rate of the business is now. */
  rateOf(body: CreateDocument): number {
    const source = body.type === 'credit_note' ? this.find(body.based_on ?? '') : undefined;
    return source?.created.totals.vat_rate ?? this.business.vat_rate;
  }

  /** Whether nothing is to be paid: then a type that requires payments needs none. */
  #isFree(body: CreateDocument): boolean {
    const totals = this.totals(body);
    return !('fault' in totals) && totals.total === 0n;
  }

  /** The totals of a valid body. */
  totals(body: CreateDocument): ExpectedTotals | { fault: string } {
    return expectedTotals({
      rate: this.rateOf(body),
      gross: body.prices_include_vat ?? this.business.prices_include_vat,
      items: body.items,
      discount: body.discount,
    });
  }

  /**
   * A document was issued.
   * @param created the answer, whose ids, addresses and instants only the system can know.
   */
  record(issued: Issuable, key: string, created: NewDocument): BookedDocument {
    const { body, date, totals, paid, source } = issued;
    this.cards.record(body.customer, created.customer.id ?? '');
    if (source) {
      this.#settle(source, issued);
    }
    const document: BookedDocument = {
      key,
      body,
      created,
      detail: {
        title: body.title ?? null,
        notes: body.notes ?? null,
        items: body.items.map((item, index) => ({
          description: item.description,
          quantity: item.quantity,
          unit_price: item.unit_price,
          line_total: shekelsOf(totals.lines[index] ?? 0n),
          sku: item.sku ?? null,
        })),
        payments: (body.payments ?? []).map((payment) => ({
          method: payment.method,
          amount: payment.amount,
          date: payment.date ?? date,
          reference: payment.reference ?? null,
          check_number: payment.check_number ?? null,
          bank_code: payment.bank_code ?? null,
          card_last_digits: payment.card_last_digits ?? null,
        })),
      },
      status: bornOf(issued),
      paid,
      total: totals.total,
      credited: 0n,
      invoiced: false,
      cancelledAt: null,
    };
    this.documents.push(document);
    return document;
  }

  #settle(source: BookedDocument, { body, totals, paid }: Issuable): void {
    switch (body.type) {
      case 'receipt':
        if (paid > 0n) {
          source.status = 'closed';
        }
        source.paid += paid;
        break;
      case 'tax_invoice':
      case 'tax_invoice_receipt':
        source.status = 'closed';
        source.invoiced = true;
        break;
      case 'credit_note':
        source.credited += totals.total;
        if (source.body.type === 'tax_invoice' && source.credited + source.paid >= source.total) {
          source.status = 'closed';
        }
        break;
      default:
    }
  }

  /** What becomes of the wish to cancel a document; undefined where it is cancelled. */
  cancel(id: string): Refusal | undefined {
    const document = this.find(id);
    if (!document) {
      return { code: 'not_found' };
    }
    if (!typeRules[document.body.type].cancellable) {
      return { code: 'use_credit_note' };
    }
    if (document.status === 'cancelled') {
      return { code: 'already_cancelled' };
    }
    const note = document.body.type === 'delivery_note' || document.body.type === 'return_note';
    if (note && document.invoiced) {
      return { code: 'linked_document_closed' };
    }
    return undefined;
  }

  /** A document was cancelled. */
  recordCancel(id: string, cancelledAt: string): void {
    const document = this.find(id);
    if (!document) {
      throw new Error('a document that is not in the book was cancelled');
    }
    document.status = 'cancelled';
    document.cancelledAt = cancelledAt;
  }

  /** The list that a filter leaves, newest first. */
  list(filter: ListFilter): CreatedDocument[] {
    return this.documents
      .filter(
        ({ created, status }) =>
          (filter.type === undefined || created.type === filter.type) &&
          (filter.from === undefined || created.date >= filter.from) &&
          (filter.to === undefined || created.date <= filter.to) &&
          (filter.external_ref === undefined || created.external_ref === filter.external_ref) &&
          (filter.include_cancelled === true || status !== 'cancelled'),
      )
      .map((document) => this.listed(document))
      .reverse();
  }

  /** A document as lists have it now. */
  listed(document: BookedDocument): CreatedDocument {
    const { allocation, delivery, donation } = document.created;
    return { ...this.now(document), allocation, delivery, ...(donation && { donation }) };
  }

  /** A document as it is now, without what cancelling does not return. */
  now({ created, status, paid, cancelledAt }: BookedDocument): CancelledDocument {
    const {
      allocation: _allocation,
      delivery: _delivery,
      donation: _donation,
      warnings: _warnings,
      ...document
    } = created;
    return {
      ...document,
      status,
      totals: { ...created.totals, paid: shekelsOf(paid) },
      cancelled_at: cancelledAt,
    };
  }
}
