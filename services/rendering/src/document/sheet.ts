import type { Business, DocumentState, IssuedDocument } from '@pinkas/contracts';
import {
  acknowledgesPayment,
  addDays,
  type DocumentType,
  isGoodsNote,
  settlementOf,
  toShekels,
  showsVatBasis as vatBasisShown,
} from '@pinkas/domain';
import { type Language } from '@pinkas/ui';
import type { SheetLogo } from '../logo/logo.js';

/** What one revision of a document shows of what happened after its issue. */
export interface RevisionContent {
  /** Of the tax authority: an allocation number, or that of a donation report; null while there is none. */
  readonly allocationNumber: string | null;
  /** Whether it states that the number is still being obtained. */
  readonly numberPending: boolean;
  /** The instant of cancellation, ISO 8601; null for a document that is not cancelled. */
  readonly cancelledAt: string | null;
  /** Whether the report of its donation was cancelled; absent: it was not. */
  readonly reportCancelled?: boolean;
  /** Whether it states that no input VAT is deducted by it; absent: it does not. */
  readonly notDeductible?: boolean;
  /** As its caller gave it; null or absent where none was given. */
  readonly cancelReason?: string | null;
  /**
   * Whether this output says 'מקור' or 'העתק'. Only the first output may say 'מקור' (Income Tax
   * Bookkeeping Instructions, appendix E; VAT Bookkeeping Regulations, 9A).
   */
  readonly output: 'original' | 'copy';
}

/** Everything that one output of a document shows. */
export interface Sheet extends RevisionContent {
  readonly document: IssuedDocument;
  readonly business: Business;
  readonly logo: SheetLogo | null;
  /** The address of the document's page, which paper names. */
  readonly viewUrl?: string;
  /** What happened to its amount since it was issued. A page shows it; paper cannot, and has none. */
  readonly standing?: Pick<
    DocumentState,
    'status' | 'paid' | 'set_off' | 'withheld' | 'credited' | 'invoices'
  >;
  /** Whether it is of no issued document: it has no number, and states that it is a draft. */
  readonly isDraft?: boolean;
  /** The language that the reader requested; without it, the business's. */
  readonly language?: Language;
}

/** The language that a sheet is written in. */
export function languageOf(sheet: Sheet): Language {
  return sheet.language ?? sheet.business.language;
}

/** Whether prices say that they include VAT, or not. */
export function showsVatBasis({ document, business }: Sheet): boolean {
  return vatBasisShown(document, business.legal_type);
}

/** The types of which the law demands one original (Income Tax Bookkeeping Instructions, 5, 8, 9; appendix E). */
const withOriginal: readonly DocumentType[] = [
  'delivery_note',
  'proforma',
  'tax_invoice',
  'tax_invoice_receipt',
  'receipt',
  'credit_note',
  'donation_receipt',
];

/** Whether this output says of itself that it is the original, or a copy. */
export function showsOutput({ document }: Sheet): boolean {
  return withOriginal.includes(document.type);
}

/** Whether this document shows prices: a note that goes with the goods need not, by the setting of its business. */
export function showsPrices({ document, business }: Sheet): boolean {
  return !(isGoodsNote(document.type) && business.delivery_notes_without_prices === true);
}

/**
 * Whether the lines show their prices: those of a donation without VAT do not add up to its total, and nothing on it states why.
 */
export function showsLinePrices(sheet: Sheet): boolean {
  const { type, prices_include_vat, totals } = sheet.document;
  const isNet = !prices_include_vat && totals.vat !== 0;
  return showsPrices(sheet) && !(type === 'donation_receipt' && isNet);
}

/** The last day on which the offer of a quote holds; null where its business set no term. */
export function validUntil({ document, business }: Sheet): string | null {
  const { quote_valid_days: days } = business;
  return document.type === 'quote' && days !== undefined ? addDays(document.date, days) : null;
}

/** What is left to pay of an invoice, ILS; negative: what is in credit. Null where it asks for no payment. On paper it is the total. */
export function balanceOf({ document, cancelledAt, standing }: Sheet): number | null {
  const status = cancelledAt === null ? 'open' : 'cancelled';
  const { balance } = settlementOf(document, standing ?? { status, paid: 0 });
  return balance === null ? null : toShekels(balance);
}

/** What is to be paid of an invoice, ILS. Null where nothing is; paper states it of a total of zero too. */
export function amountDue(sheet: Sheet): number | null {
  const balance = balanceOf(sheet);
  return balance !== null && (balance > 0 || !sheet.standing) ? balance : null;
}

/** Whether it asks its customer for money: on paper as it was issued, on a page as long as something is left to pay. */
export const asksForPayment = (sheet: Sheet): boolean => (amountDue(sheet) ?? 0) > 0;

/** Whether the payments come before the items: a receipt is about what was paid. */
export function paymentsComeFirst({ document }: Sheet): boolean {
  return acknowledgesPayment(document.type);
}
