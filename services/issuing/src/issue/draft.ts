import { randomBytes } from 'node:crypto';
import type {
  Business,
  CreateDocument,
  CustomerSnapshot,
  IssuedDocument,
  Issuer,
  issueDocument,
  Payment,
  RequestOf,
} from '@pinkas/contracts';
import { fromShekels, isBlank, type PaymentTerms, sum, type Totals, toShekels } from '@pinkas/domain';
import type { RecipientCheck } from '@pinkas/domain/delivery';
import type { CallContext } from '@pinkas/service-kit';
import { dueDate } from '../document/document-rules.js';
import type { SourceDocument } from '../settle/source-document.js';
import type { IdempotencyKey } from './idempotency-keys.js';

/** What is asked for, whether it is issued or only previewed. */
export interface DocumentRequest {
  readonly business: Business;
  readonly issuer: Issuer;
  readonly body: CreateDocument;
  readonly withheld?: RequestOf<typeof issueDocument>['withheld'];
}

/** A document before its number and its instant of issue, which come from the series. */
export type UnnumberedDocument = Omit<IssuedDocument, 'number' | 'issued_at'>;

/** A request that has passed every check that does not depend on the series, and the document that it asks for. */
export interface CheckedRequest<Request extends DocumentRequest> {
  /** With the threshold that decides, and texts as they are stored. */
  readonly request: Request;
  readonly document: UnnumberedDocument;
  /** Exact. */
  readonly totals: Totals;
  /** By which its due date follows from its date. */
  readonly terms: PaymentTerms;
  /** The day in Asia/Jerusalem on which it was checked. */
  readonly today: string;
  readonly source: SourceDocument | null;
}

/** A document on its way to its number: a checked request, with what its transaction needs. */
export interface Draft extends CheckedRequest<RequestOf<typeof issueDocument>> {
  readonly key: IdempotencyKey;
  /** Whether the document writes the customer's card. */
  readonly customer_changes: boolean;
  /** What delivery knows of the customer's addresses; never rejects. */
  readonly recipient: Promise<RecipientCheck>;
  /** How often it was rendered, or is being. */
  attempts: number;
  /** The context of the request: the draft is issued in the transaction of another request where that one comes first. */
  readonly context: CallContext;
}

/** A text that a document may lack; null where nothing of it can be seen. */
const seen = (text: string | undefined): string | null => (text === undefined || isBlank(text) ? null : text);

/** Builds the document of a request that has passed its checks. */
export function unnumberedDocument(parts: {
  id: string;
  body: CreateDocument;
  business: Business;
  date: string;
  /** In percent. */
  vatRate: number;
  totals: Totals;
  customer: CustomerSnapshot;
  terms: PaymentTerms;
  source: IssuedDocument['based_on'];
  withheld: DocumentRequest['withheld'];
}): UnnumberedDocument {
  const { id, body, business, date, vatRate, totals, customer, terms, source, withheld } = parts;
  return {
    id,
    business_id: business.id,
    public_id: randomBytes(16).toString('base64url'),
    type: body.type,
    date,
    due_date: dueDate(body, terms, date),
    external_ref: seen(body.external_ref),
    customer,
    items: body.items.map((item, index) => ({
      description: item.description,
      quantity: item.quantity,
      unit_price: item.unit_price,
      line_total: toShekels(totals.lineTotals[index] ?? 0n),
      sku: seen(item.sku),
    })),
    prices_include_vat: body.prices_include_vat ?? business.prices_include_vat,
    discount: body.discount ?? null,
    payments: (body.payments ?? []).map((payment): Payment => paymentOf(payment, date)),
    totals: {
      subtotal: toShekels(totals.subtotal),
      discount: toShekels(totals.discount),
      vat: toShekels(totals.vat),
      vat_rate: vatRate,
      total: toShekels(totals.total),
      currency: 'ILS',
    },
    based_on: source,
    title: seen(body.title),
    notes: seen(body.notes) ?? business.default_notes ?? null,
    send: body.send ?? true,
    ...(body.foreign_donor && { foreign_donor: body.foreign_donor }),
    ...(withheld && {
      withheld: toShekels(sum(withheld.amounts.map(({ amount }) => fromShekels(amount)))),
    }),
  };
}

/** The same document with another date, and the due and payment dates that follow from it. */
export function withDate(
  document: UnnumberedDocument,
  body: CreateDocument,
  terms: PaymentTerms,
  date: string,
): UnnumberedDocument {
  return {
    ...document,
    date,
    due_date: dueDate(body, terms, date),
    payments: (body.payments ?? []).map((payment): Payment => paymentOf(payment, date)),
  };
}

function paymentOf(input: NonNullable<CreateDocument['payments']>[number], date: string): Payment {
  return {
    method: input.method,
    amount: input.amount,
    date: input.date ?? date,
    reference: seen(input.reference),
    check_number: seen(input.check_number),
    check_date: input.check_date ?? null,
    bank_code: input.bank_code ?? null,
    branch: seen(input.branch),
    account: seen(input.account),
    card_last_digits: input.card_last_digits ?? null,
    card_type: seen(input.card_type),
  };
}
