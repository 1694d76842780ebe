import type { Business, IssuedDocument } from '@pinkas/contracts';
import type { Language } from './language.js';

/** What one output of a document shows of what happened after its issue. */
export interface Shown {
  /** The printed number, nine digits; null while there is none. */
  readonly allocationNumber: string | null;
  /** The instant of cancellation, ISO 8601; null for a document that stands. */
  readonly cancelledAt: string | null;
  /**
   * Whether this output bears the word 'מקור' or the word 'העתק'. 'מקור' may stand on the first output only (Income Tax
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
export interface Sheet extends Shown {
  readonly document: IssuedDocument;
  readonly business: Business;
  readonly logo: SheetLogo | null;
  /** The language that its reader asked for; without it, the business's. */
  readonly language?: Language;
}

/** The language that a sheet is written in. */
export function languageOf(sheet: Sheet): Language {
  return sheet.language ?? sheet.business.language;
}

/**
 * Whether VAT is spoken of on this document. An exempt dealer, a non-profit and a public institution without a VAT amount
 * must not issue what looks like a tax document (VAT law, section 50); a dealer with a zero rate states the zero.
 */
export function showsVat({ document, business }: Sheet): boolean {
  return (
    document.totals.vat !== 0 || business.legal_type === 'osek_murshe' || business.legal_type === 'hevra_baam'
  );
}
