import type { Business, IssuedDocument } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import type { Language } from './language.js';

/** What one revision of a document shows of what happened after its issue. */
export interface RevisionContent {
  /** Nine digits; null while there is none. */
  readonly allocationNumber: string | null;
  /** Whether it says that the number is still being obtained. */
  readonly numberPending: boolean;
  /** The instant of cancellation, ISO 8601; null for a document that is not cancelled. */
  readonly cancelledAt: string | null;
  /**
   * Whether this output says 'מקור' or 'העתק'. Only the first output may say 'מקור' (Income Tax
   * Bookkeeping Instructions, appendix E; VAT Bookkeeping Regulations, 9A).
   */
  readonly output: 'original' | 'copy';
}

/** The business's picture, as a page can show it: it carries its bytes, and nothing is fetched for it. */
export interface SheetLogo {
  /** A `data:` address. */
  readonly address: string;
  /** In its own units; only their ratio counts. */
  readonly width: number;
  readonly height: number;
}

/** Everything that one output of a document shows. */
export interface Sheet extends RevisionContent {
  readonly document: IssuedDocument;
  readonly business: Business;
  readonly logo: SheetLogo | null;
  /** The language that the reader requested; without it, the business's. */
  readonly language?: Language;
}

/** The language that a sheet is written in. */
export function languageOf(sheet: Sheet): Language {
  return sheet.language ?? sheet.business.language;
}

/**
 * Whether prices say that they include VAT, or not. An exempt dealer, a non-profit and a public institution without a VAT amount
 * must not issue what looks like a tax document (VAT law, section 50); a dealer with a zero rate states the zero.
 */
export function showsVatBasis({ document, business }: Sheet): boolean {
  return (
    document.totals.vat !== 0 || business.legal_type === 'osek_murshe' || business.legal_type === 'hevra_baam'
  );
}

/** The types that acknowledge a payment and are no tax invoice: net and VAT on them invite to deduct the VAT twice. */
const withoutVatAmount: readonly DocumentType[] = ['receipt', 'donation_receipt'];

/** Whether this document shows the net and the VAT. */
export function showsVatAmount(sheet: Sheet): boolean {
  return showsVatBasis(sheet) && !withoutVatAmount.includes(sheet.document.type);
}

/** Whether the payments come before the items: a receipt is about what was paid. */
export function paymentsComeFirst({ document }: Sheet): boolean {
  return withoutVatAmount.includes(document.type);
}
