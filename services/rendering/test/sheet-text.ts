import { type IssuedDocument } from '@pinkas/contracts';
import { printablePage } from '../src/document/printable-page.js';
import type { Sheet } from '../src/document/sheet.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

export function sheetOf(change: Partial<Sheet> = {}): Sheet {
  const business = change.business ?? sampleBusiness();
  return {
    document: sampleDocument('tax_invoice', business),
    business,
    allocationNumber: null,
    numberPending: false,
    cancelledAt: null,
    output: 'original',
    logo: null,
    ...change,
  };
}

/** The document as text: tags gone, entities read. */
export function textOf(page: string): string {
  return (
    page
      .replace(/<(title|style)>[\s\S]*?<\/\1>/g, '')
      // A span within a text says the language of a word, nothing else.
      .replace(/<span lang="\w+">([^<]*)<\/span>/g, '$1')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .replace(/\s+/g, ' ')
  );
}

export const noFonts = { filesFor: () => [] };
export const print = (sheet: Sheet) => printablePage(sheet, 'nonce', noFonts).html;
export const textOfSheet = (change: Partial<Sheet> = {}) => textOf(print(sheetOf(change)));
export const textOfType = (type: IssuedDocument['type'], change: Partial<IssuedDocument> = {}) => {
  const business = sampleBusiness();
  return textOfSheet({ business, document: sampleDocument(type, business, change) });
};
