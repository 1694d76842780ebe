import type { DocumentState } from '@pinkas/contracts';
import { documentSheet } from './document-sheet.js';
import { shekels } from './figures.js';
import { directions } from './language.js';
import { given, html, Markup } from './markup.js';
import { documentHeading } from './printed-document.js';
import { languageOf, type Sheet } from './sheet.js';
import { sheetStyle } from './sheet-style.js';
import { statusWords, wording } from './wording.js';

const frameStyle = `body{background:#eef1f5;padding:24px 16px 40px;font-size:15px}
.frame,.paper,.notice{max-width:820px;margin-inline:auto}
.frame{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;margin-block-end:16px}
.frame .who{font-weight:700;margin-inline-end:auto}
.status{padding:2px 12px;border-radius:99px;background:#dfe7f1;color:#1d3f66}
.status.cancelled{margin:0;border:0;background:#f9dedc;color:#b3261e}
.frame a{padding:8px 18px;border-radius:6px;background:#1d3f66;color:#fff;text-decoration:none;font-weight:700}
.frame a:focus-visible{outline:3px solid #7fa6d6;outline-offset:2px}
.paper{background:#fff;border-radius:6px;padding:44px 48px;box-shadow:0 1px 3px #1b243026,0 8px 24px #1b243014;overflow-x:auto}
.sheet{position:relative}
.stamp{position:absolute;max-height:900px}
.stamp span{font-size:clamp(44px,14vw,120px)}
.notice{margin-block-start:16px;color:#5b6675;font-size:13px}
@media(max-width:640px){body{padding:12px 8px}.paper{padding:20px 16px}.sheet>header,.parties{flex-direction:column;gap:14px}.heading,dd{text-align:start}.second{text-align:left}.issuer,.customer{max-width:none}th,td{padding-inline:4px}.facts{justify-content:start}.totals{width:100%}}
@media print{.stamp{position:fixed}body{background:none;padding:0}.frame,.notice{display:none}.paper{box-shadow:none;padding:0}}`;

/**
 * The document's hosted page: a frame with the status and the way to the signed PDF around the same sheet that is printed.
 * It needs no script and fetches nothing: a policy of `default-src 'none'; style-src 'unsafe-inline'; font-src data:`
 * suffices. Search engines are told to stay away, since the address is the only key to it.
 * @param pdfUrl where the signed PDF is, absolute.
 * @param fontFaces the `@font-face` rules of Heebo, with the fonts themselves as data addresses.
 */
export function hostedPage(sheet: Sheet, state: DocumentState, pdfUrl: string, fontFaces: string): string {
  const language = languageOf(sheet);
  const style = new Markup(`${fontFaces}\n${sheetStyle}\n${frameStyle}`);
  const paid =
    state.paid > 0 && html`<span>${wording.paid[language]} ${shekels(state.paid, language)}</span>`;
  return `<!doctype html>\n${
    html`<html lang="${language}" dir="${directions[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex,nofollow"><meta name="referrer" content="no-referrer"><title>${documentHeading(sheet)} – ${sheet.business.name}</title><style>${style}</style></head><body><nav class="frame"><span class="who">${given(sheet.business.name)}</span>${paid}<span class="status ${state.status}">${statusWords[state.status][language]}</span><a href="${pdfUrl}">${wording.download[language]}</a></nav><main class="paper">${documentSheet(sheet)}</main><p class="notice">${wording.pageNotice[language]}</p></body></html>`
      .text
  }`;
}
