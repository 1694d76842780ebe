import type { Business, CreateDocument, PreviewWarning } from '@pinkas/contracts';
import {
  decideDonation,
  donorOf,
  fromShekels,
  hasPhoneDigits,
  isSameCustomer,
  lacksBuyerId,
  lacksNumberUnconnected,
  lacksReportUnconnected,
  settlementOf,
  settlesSource,
  type Totals,
  toShekels,
  withinOneAgora,
} from '@pinkas/domain';
import { parsePhoneNumber } from '@pinkas/domain/delivery';
import type { Transaction } from '@pinkas/service-kit';
import { agorotOf, decimalOf } from '../document/amounts.js';
import type { IssuingTables } from '../document/document.tables.js';
import { toDocument } from '../document/document-row.js';
import { paymentsSum } from '../document/document-rules.js';
import type { DecidedOutcomes } from '../document/known-outcomes.js';
import { readSettling, type SettlingDocuments } from '../document/settlement.repository.js';
import type { SourceDocument } from '../settle/source-document.js';
import type { UnnumberedDocument } from './draft.js';
import type { LockedRows, RenderedDraft } from './draft-rendering.js';

/** A document that would be issued, with what is known of what it does. */
interface PreviewedDocument {
  readonly document: UnnumberedDocument;
  readonly body: CreateDocument;
  readonly business: Business;
  readonly totals: Totals;
  readonly outcomes: DecidedOutcomes;
  /** The day in Asia/Jerusalem. */
  readonly today: string;
  /** The document that it is based on, with what is based on that already. */
  readonly source: { readonly row: SourceDocument['row']; readonly settling: SettlingDocuments } | null;
}

/** What a person should know before a document is issued that no rule refuses, in the order of the catalogue. */
export function previewWarnings(previewed: PreviewedDocument): PreviewWarning[] {
  const { document, body, business, totals, outcomes, today } = previewed;
  const { allocation, delivery } = outcomes;
  const paid = paymentsSum(body);
  const applies: Readonly<Record<PreviewWarning, boolean>> = {
    number_not_connected: lacksNumberUnconnected(document, business),
    number_customer_tax_id_missing: allocation?.status === 'skipped_customer_tax_id_missing',
    number_business_tax_id_missing: allocation?.status === 'skipped_business_tax_id_missing',
    // The warning about the number has it already.
    customer_tax_id_missing:
      lacksBuyerId(document) && allocation?.status !== 'skipped_customer_tax_id_missing',
    donation_not_connected: lacksReportUnconnected(document, business),
    donation_donor_id_missing:
      decideDonation(document, { ...business, tax_authority_connected: true }).required &&
      donorOf(document).kind === 'anonymous',
    ...settlementWarnings(previewed),
    date_in_past: document.date < today,
    due_date_passed: document.due_date !== null && document.due_date < today,
    total_is_zero: totals.total === 0n,
    payments_rounded:
      body.payments !== undefined && paid !== totals.total && withinOneAgora(paid, totals.total),
    phone_unusable: isUnusable(document.customer.phone, business),
    recipient_missing: delivery.status === 'no_recipient',
    // What the caller has suppressed is no surprise.
    recipient_suppressed: delivery.status === 'suppressed' && document.send,
    sending_not_possible: delivery.status === 'send_failed',
  };
  return Object.entries(applies).flatMap(([code, isTrue]) => (isTrue ? [code as PreviewWarning] : []));
}

/** Whether nothing can be sent to a phone number; where emails are sent, only what is no number at all is worth a word. */
const isUnusable = (phone: string | null, { auto_send }: Business): boolean =>
  phone !== null &&
  (auto_send.channel === 'email' ? !hasPhoneDigits(phone) : parsePhoneNumber(phone) === null);

type SettlementWarning = Extract<
  PreviewWarning,
  'source_overpaid' | 'source_overcredited' | 'source_invoiced_twice' | 'source_of_other_customer'
>;

/** What the source comes to with this document: the same rules say of the book what a person should look at. */
function settlementWarnings({
  document,
  body,
  source,
}: PreviewedDocument): Record<SettlementWarning, boolean> {
  const isReceipt = document.type === 'receipt';
  const isCredit = document.type === 'credit_note';
  const isInvoice = document.type === 'tax_invoice' || document.type === 'tax_invoice_receipt';
  if (!source) {
    return {
      source_overpaid: false,
      source_overcredited: false,
      source_invoiced_twice: false,
      source_of_other_customer: false,
    };
  }
  const { row, settling } = source;
  const add = (amount: number, more: bigint) => toShekels(fromShekels(amount) + more);
  const { balance, notes } = settlementOf(toDocument(row), {
    status: row.status,
    paid: add(Number(row.paid), isReceipt ? paymentsSum(body) : 0n),
    set_off: Number(row.set_off),
    credited: add(settling.credited, isCredit ? fromShekels(document.totals.total) : 0n),
    invoices: settling.invoices + Number(isInvoice),
  });
  return {
    source_overpaid: isReceipt && ((balance !== null && balance < 0n) || notes.includes('overpaid')),
    source_overcredited: isCredit && notes.includes('overcredited'),
    source_invoiced_twice: isInvoice && notes.includes('invoiced_twice'),
    source_of_other_customer: (isReceipt || isCredit) && !isSameCustomer(row.customer, document.customer),
  };
}

type Source = NonNullable<PreviewedDocument['source']>;

/**
 * What a person should know of documents that are about to be inserted, in their order, as a preview says it. Their sources are locked
 * and not changed yet; a document of the same transaction counts for those behind it.
 */
export async function warningsOf(
  trx: Transaction<IssuingTables>,
  { series, sources, today }: LockedRows,
  rendered: readonly RenderedDraft[],
): Promise<PreviewWarning[][]> {
  const ids = new Set(rendered.flatMap(({ document }) => document.based_on?.id ?? []));
  const settling = await readSettling(trx, series.business_id, [...ids]);
  const current = new Map<string, Source>();
  for (const [id, facts] of settling) {
    const row = sources.get(id);
    if (row) {
      current.set(id, { row, settling: facts });
    }
  }
  return rendered.map(({ draft, document, outcomes, setOffs }) => {
    const { business, body } = draft.request;
    const sourceId = document.based_on?.id ?? '';
    const source = current.get(sourceId) ?? null;
    const { totals } = draft;
    const warnings = previewWarnings({ document, body, business, totals, outcomes, today, source });
    if (source) {
      current.set(sourceId, settledBy(source, { document, paid: paymentsSum(body) }));
    }
    for (const { document_id, amount } of setOffs) {
      const settled = current.get(document_id);
      if (settled) {
        const set_off = decimalOf(agorotOf(settled.row.set_off) + amount);
        current.set(document_id, { ...settled, row: { ...settled.row, set_off } });
      }
    }
    return warnings;
  });
}

/** A source after one more document that is based on it. */
function settledBy(
  { row, settling }: Source,
  { document, paid }: Pick<RenderedDraft, 'document'> & { paid: bigint },
): Source {
  const isSettling = settlesSource(document.type);
  const credits = document.type === 'credit_note' ? document.totals.total : 0;
  const received = isSettling ? paid : 0n;
  const isInvoice = document.type === 'tax_invoice' || document.type === 'tax_invoice_receipt';
  return {
    row: { ...row, paid: decimalOf(agorotOf(row.paid) + received) },
    settling: {
      ...settling,
      credited: toShekels(fromShekels(settling.credited) + fromShekels(credits)),
      invoices: settling.invoices + Number(isInvoice),
    },
  };
}
