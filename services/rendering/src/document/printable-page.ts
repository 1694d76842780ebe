import { type Agorot, documentTypeRules, fieldDirection, formatShekels } from '@pinkas/domain';
import {
  compact,
  directions,
  figuresToken,
  footInk,
  formatMoney,
  type Language,
  Markup,
  plainText,
  printTokens,
} from '@pinkas/ui';
import { type FontFile, facesByName, type Typeface } from '../typeface/typeface.js';
import { documentSheet } from './document-sheet.js';
import { languageOf, type Sheet } from './sheet.js';
import { sheetStyle } from './sheet-style.js';
import { type SourceText, sourceTexts } from './source-texts.js';
import { cancelledWords, customerRegistrations, registrations, wording } from './wording.js';

export type { Sheet } from './sheet.js';

/** Stored with every artifact; raised whenever the same document would look different. */
export const templateVersion = 9;

/** A page as the renderer takes it, with the files that it names. */
export interface PrintablePage {
  readonly html: string;
  readonly fonts: readonly FontFile[];
}

/** The page of a document, with what it states in the order in which it is read. */
export interface DocumentPage extends PrintablePage {
  readonly texts: readonly SourceText[];
}

/** The document's heading with its number: `חשבונית מס 1042`. */
export function documentHeading(sheet: Sheet): string {
  const { name, nameHe } = documentTypeRules[sheet.document.type];
  return `${languageOf(sheet) === 'he' ? nameHe : name} ${sheet.document.number}`;
}

/** A text as a string of CSS; everything but letters, digits and spaces is escaped, since a name may hold anything. */
const cssString = (text: string): string =>
  `"${plainText(text).replace(/[^\p{L}\p{N} ]/gu, (sign) => `\\${sign.codePointAt(0)?.toString(16)} `)}"`;

/** The head of every further page, which names the document. */
function runningHead({ business, ...sheet }: Sheet): { name: string; registration: string } {
  const words = business.legal_type ? registrations[business.legal_type] : customerRegistrations.unknown;
  // In English without the Hebrew beside it: this line is a signpost, and the law's words are on the first page.
  const label = words[languageOf({ business, ...sheet })].split(' · ')[0] ?? '';
  return { name: business.name, registration: business.tax_id === null ? '' : `${label} ${business.tax_id}` };
}

function carriedText(amount: Agorot | null, language: Language): string {
  if (amount === null) {
    return ' ';
  }
  const figure = formatShekels(amount);
  return `${wording.carried[language]} ${language === 'he' ? `${figure} ₪` : `₪${figure}`}`;
}

/**
 * The head of further pages: business, registration number, and the sum of the lines on the pages before. A style of counters turns
 * the number of a page into its sum: Chromium knows nothing else in a margin that differs from page to page.
 */
function headStyle(sheet: Sheet, carried: Carried): string {
  const language = languageOf(sheet);
  const { name, registration } = runningHead(sheet);
  const [near, far] = language === 'he' ? ['right', 'left'] : ['left', 'right'];
  const sums = carried.map((amount) => cssString(carriedText(amount, language)));
  const box = 'vertical-align:bottom;padding-bottom:3.5mm';
  const boxes = `@top-${near}{${box};text-align:${near};direction:${fieldDirection(name, language)};content:${cssString(name)}}@top-center{${box};content:${cssString(registration)}}`;
  const sumBox =
    sums.length === 0 ? '' : `@top-${far}{${box};text-align:${far};content:counter(page,carried)}`;
  const counters =
    sums.length === 0 ? '' : `@counter-style carried{system:fixed 1;symbols:${sums.join(' ')}}`;
  return `${counters}@page{${boxes}${sumBox}}@page:first{@top-left{content:none}@top-center{content:none}@top-right{content:none}}`;
}

/** A4 with the running foot on every page. */
function paperStyle(sheet: Sheet): string {
  const language = languageOf(sheet);
  const page = `"${wording.page[language]} " counter(page) " ${wording.pageOf[language]} " counter(pages)`;
  const heading = documentHeading(sheet);
  const name = sheet.cancelledAt === null ? heading : `${heading} · ${cancelledWords[language]}`;
  const [near, far] = language === 'he' ? ['right', 'left'] : ['left', 'right'];
  return `@page{size:A4;margin:14mm 15mm 18mm;font:400 8pt Heebo,sans-serif;color:${footInk};direction:${directions[language]};@bottom-${near}{content:"${name}"}@bottom-${far}{content:${page}}}`;
}

/** For each page the sum of the lines before it; null where there is nothing to carry. */
export type Carried = readonly (Agorot | null)[];

/**
 * The page that becomes the PDF of a document.
 * @param nonce becomes the PDF's title, by which the PDF of another request is recognized.
 * @param carried known once the document was rendered; without it further pages name no sum.
 */
export function printablePage(
  sheet: Sheet,
  nonce: string,
  typeface: Typeface,
  carried: Carried = [],
): DocumentPage {
  const language = languageOf(sheet);
  const body = documentSheet(sheet);
  const fonts = typeface.filesFor(`${body.text}${wording.carried[language]}`);
  // The head is the same for all documents with these fonts, so that a printer need not write it again.
  const shared = new Markup(`${facesByName(fonts)}\n${sheetStyle}`);
  const own = new Markup(
    `${printTokens(sheet.business.accent_color)}\n${figuresToken(formatMoney(sheet.document.totals.total))}\n${paperStyle(sheet)}\n${headStyle(sheet, carried)}`,
  );
  const page = compact`
    <html lang="${language}" dir="${directions[language]}">
      <head>
        <meta charset="utf-8">
        <title>${nonce}</title>
        <style>${shared}</style>
      </head>
      <body>
        <style>${own}</style>
        ${body}
      </body>
    </html>`;
  return { html: `<!doctype html>\n${page.text}`, fonts, texts: sourceTexts(body, language) };
}
