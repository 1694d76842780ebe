import { documentTypeRules } from '@pinkas/contracts';
import { documentSheet } from './document-sheet.js';
import { directions } from './language.js';
import { html, Markup } from './markup.js';
import { languageOf, type Sheet } from './sheet.js';
import { sheetStyle } from './sheet-style.js';
import { statusWords, wording } from './wording.js';

/** Named in every artifact's row; raised whenever the same document would be printed differently. */
export const templateVersion = 2;

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
  return `@page{size:A4;margin:14mm 15mm 18mm;font:400 8pt Heebo,sans-serif;color:#5b6675;direction:${directions[language]};@bottom-${near}{content:"${name}"}@bottom-${far}{content:${page}}}`;
}

/**
 * The HTML that is printed.
 * @param nonce becomes the PDF's title, so that an answer that belongs to another request is noticed.
 * @param fontFaces the `@font-face` rules of Heebo.
 */
export function printedDocument(sheet: Sheet, nonce: string, fontFaces: string): string {
  const language = languageOf(sheet);
  const style = new Markup(`${fontFaces}\n${paperStyle(sheet)}\n${sheetStyle}`);
  return `<!doctype html>\n${
    html`<html lang="${language}" dir="${directions[language]}"><head><meta charset="utf-8"><title>${nonce}</title><style>${style}</style></head><body>${documentSheet(sheet)}<p class="signed">${wording.signed[language]}</p></body></html>`
      .text
  }`;
}
