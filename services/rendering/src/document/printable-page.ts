import { documentTypeRules } from '@pinkas/domain';
import { type FontFile, facesByName, type Typeface } from '../typeface/typeface.js';
import { figuresToken, footInk, printTokens } from './design-tokens.js';
import { directions } from './direction.js';
import { documentSheet } from './document-sheet.js';
import { formatMoney } from './figures.js';
import { html, Markup } from './markup.js';
import { languageOf, type Sheet } from './sheet.js';
import { sheetStyle } from './sheet-style.js';
import { statusWords, wording } from './wording.js';

export type { Sheet, SheetLogo } from './sheet.js';

/** Stored with every artifact; raised whenever the same document would look different. */
export const templateVersion = 5;

/** A page as the renderer takes it, with the files that it names. */
export interface PrintablePage {
  readonly html: string;
  readonly fonts: readonly FontFile[];
}

/** The document's heading with its number: `חשבונית מס 1042`. */
export function documentHeading(sheet: Sheet): string {
  const { name, nameHe } = documentTypeRules[sheet.document.type];
  return `${languageOf(sheet) === 'he' ? nameHe : name} ${sheet.document.number}`;
}

/** A4 with the running foot on every page. The words in it are all our own: CSS has no place for other people's. */
function paperStyle(sheet: Sheet): string {
  const language = languageOf(sheet);
  const page = `"${wording.page[language]} " counter(page) " ${wording.pageOf[language]} " counter(pages)`;
  const heading = documentHeading(sheet);
  const name = sheet.cancelledAt === null ? heading : `${heading} · ${statusWords.cancelled[language]}`;
  const [near, far] = language === 'he' ? ['right', 'left'] : ['left', 'right'];
  return `@page{size:A4;margin:14mm 15mm 18mm;font:400 8pt Heebo,sans-serif;color:${footInk};direction:${directions[language]};@bottom-${near}{content:"${name}"}@bottom-${far}{content:${page}}}`;
}

/**
 * The page that becomes the PDF of a document.
 * @param nonce becomes the PDF's title, by which the PDF of another request is recognized.
 */
export function printablePage(sheet: Sheet, nonce: string, typeface: Typeface): PrintablePage {
  const language = languageOf(sheet);
  const body = html`${documentSheet(sheet)}<p class="signed">${wording.signed[language]}</p>`;
  const fonts = typeface.filesFor(body.text);
  const style = new Markup(
    `${facesByName(fonts)}\n${printTokens(sheet.business.accent_color)}\n${figuresToken(formatMoney(sheet.document.totals.total))}\n${paperStyle(sheet)}\n${sheetStyle}`,
  );
  const page = html`<html lang="${language}" dir="${directions[language]}"><head><meta charset="utf-8"><title>${nonce}</title><style>${style}</style></head><body>${body}</body></html>`;
  return { html: `<!doctype html>\n${page.text}`, fonts };
}
