import type { DocumentState } from '@pinkas/contracts';
import { settlementOf } from '@pinkas/domain';
import {
  attributes,
  compact,
  defaultAccent,
  directions,
  figuresToken,
  formatDate,
  formatMoney,
  html,
  isolate,
  type Language,
  leftToRight,
  Markup,
  pageTokens,
  paymentInstructionWords,
  plainText,
  shekels,
} from '@pinkas/ui';
import { facesInline, type Typeface } from '../typeface/typeface.js';
import { documentSheet } from './document-sheet.js';
import { draftStyle, pageStyle } from './page-style.js';
import { documentHeading } from './printable-page.js';
import { amountDue, asksForPayment, languageOf, type Sheet, validUntil } from './sheet.js';
import { sheetStyle } from './sheet-style.js';
import { cancelledWords, phrase, statusWords, wording } from './wording.js';

/** The hashes by which a reader verifies a PDF. Both are SHA-256, hex. */
export interface Fingerprints {
  readonly revision: number;
  readonly file: string;
  readonly certificate: string;
}

/** The parts of a page besides its sheet. */
interface PageFacts {
  readonly state: DocumentState;
  /** The absolute address of the signed PDF. */
  readonly pdfUrl: string;
  /** Of the PDF that is found there now; null while that is not known. */
  readonly fingerprints: Fingerprints | null;
  /** Where a file is checked; absent: the page does not lead there. */
  readonly verifyUrl?: string | undefined;
}

/** The icon of the page, in the color of the business: within the page, so that no request for it counts against the reader. */
function icon({ business }: Sheet): Markup {
  const color = business.accent_color ?? defaultAccent;
  const drawing = compact`
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
      <rect width="32" height="32" rx="7" fill="${color}"/>
      <path d="M9 10h14M9 16h14M9 22h8" stroke="#fff" stroke-width="3"/>
    </svg>`;
  return html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawing.text)}">`;
}

/** The address of the PDF as a file to keep, not to look at. */
function downloadUrl(pdfUrl: string): string {
  return `${pdfUrl}${pdfUrl.includes('?') ? '&' : '?'}download=1`;
}

/** The state of the document: what a customer has to do, if anything. */
function statusText(sheet: Sheet, state: DocumentState): Markup {
  const language = languageOf(sheet);
  const { document } = sheet;
  const due = amountDue(sheet);
  const until = validUntil(sheet);
  if (due !== null && due < document.totals.total) {
    return html`${wording.balance[language]} ${shekels(due, language)}`;
  }
  if (due !== null && document.due_date !== null) {
    return html`${wording.payUntil[language]} ${leftToRight(formatDate(document.due_date, language))}`;
  }
  if (state.status === 'open' && until !== null) {
    return html`${wording.offerUntil[language]} ${leftToRight(formatDate(until, language))}`;
  }
  if (state.status === 'cancelled') {
    return html`${cancelledWords[language]}`;
  }
  if (sheet.reportCancelled) {
    return html`${phrase(wording.donationCancelled, language)}`;
  }
  const { state: settlement } = settlementOf(document, state);
  if (settlement === 'credited' || settlement === 'overcredited') {
    return html`${wording.creditedSum[language]}`;
  }
  const isPaid = settlement === 'settled' || (state.paid > 0 && state.paid >= document.totals.total);
  return html`${(isPaid ? wording.paid : statusWords[state.status][document.type])[language]}`;
}

function bar(sheet: Sheet, { state, pdfUrl }: PageFacts): Markup {
  const language = languageOf(sheet);
  const other: Language = language === 'he' ? 'en' : 'he';
  // Printing is the PDF's affair: the page would only be a picture of it.
  const title = wording.otherLanguage[language];
  const payLink = asksForPayment(sheet) ? sheet.business.payment_instructions?.link : undefined;
  const toPay = attributes({ class: 'first', href: payLink, rel: 'noopener noreferrer nofollow' });
  const toFile = attributes({ class: payLink === undefined && 'first', href: downloadUrl(pdfUrl) });
  const pay =
    payLink !== undefined &&
    compact`
      <li>
        <a${toPay}>${paymentInstructionWords.link[language]}</a>
      </li>`;
  return compact`
    <header class="bar">
      <p class="who">
        <strong>${isolate(sheet.business.name, language)}</strong>
        <span>${documentHeading(sheet)}</span>
      </p>
      <p class="status ${state.status}">${statusText(sheet, state)}</p>
      <nav aria-label="${wording.actions[language]}">
        <ul>
          ${pay}
          <li>
            <a${toFile}>${wording.download[language]}</a>
          </li>
          <li>
            <a href="${pdfUrl}">${wording.print[language]}</a>
          </li>
          <li>
            <a href="?lang=${other}" hreflang="${other}" lang="${other}" dir="${directions[other]}">${title}</a>
          </li>
        </ul>
      </nav>
    </header>`;
}

function genuine(sheet: Sheet, { fingerprints, verifyUrl }: PageFacts): Markup {
  const language = languageOf(sheet);
  const revision =
    fingerprints && html`${wording.revision[language]} ${leftToRight(String(fingerprints.revision))}`;
  const prints =
    fingerprints &&
    compact`
      <dl>
        <dt>${wording.filePrint[language]} (${revision})</dt>
        <dd>
          <code dir="ltr">${fingerprints.file}</code>
        </dd>
        <dt>${wording.certificatePrint[language]}</dt>
        <dd>
          <code dir="ltr">${fingerprints.certificate}</code>
        </dd>
      </dl>
      <p>${wording.compareNotice[language]}</p>`;
  return compact`
    <footer class="genuine">
      <h2>${wording.genuine[language]}</h2>
      <p>${wording.pageNotice[language]}</p>
      ${verifyUrl !== undefined && html`<p><a href="${verifyUrl}">${wording.checkFile[language]}</a></p>`}
      ${prints}
    </footer>`;
}

/**
 * The document's hosted page: a frame with the status and the way to the signed PDF around the same sheet as in the PDF.
 * It needs no script and fetches nothing: a policy of `default-src 'none'; font-src data:; img-src data:` and the hash of its
 * one style suffices. Search engines are excluded, since the address is the only key to it.
 */
export function hostedPage(printed: Sheet, facts: PageFacts, typeface: Typeface): string {
  const sheet = { ...printed, standing: facts.state };
  const body = html`${bar(sheet, facts)}<main class="paper">${documentSheet(sheet)}</main>${genuine(sheet, facts)}`;
  return sheetPage(sheet, documentHeading(sheet), body, typeface);
}

/** The sheet of a draft alone, with the policy of a hosted page. */
export function draftPage(draft: Sheet, typeface: Typeface): string {
  const sheet = { ...draft, isDraft: true, standing: { status: 'open', paid: 0 } } as const;
  const body = html`<main class="paper">${documentSheet(sheet)}</main>`;
  return sheetPage(sheet, wording.draft[languageOf(sheet)], body, typeface, draftStyle);
}

function sheetPage(sheet: Sheet, heading: string, body: Markup, typeface: Typeface, more = ''): string {
  const language = languageOf(sheet);
  // Emoji are the device's own: there they have colors.
  const fonts = typeface.filesFor(body.text).filter(({ family }) => family !== 'Noto Emoji');
  const style = new Markup(
    `${facesInline(fonts)}\n${pageTokens(sheet.business.accent_color)}\n${figuresToken(formatMoney(sheet.document.totals.total))}\n${sheetStyle}\n${pageStyle}${more}`,
  );
  const title = `${heading} – ${plainText(sheet.business.name)}`;
  const page = compact`
    <html lang="${language}" dir="${directions[language]}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta name="robots" content="noindex,nofollow">
        <meta name="referrer" content="no-referrer">
        <title>${title}</title>
        ${icon(sheet)}
        <style>${style}</style>
      </head>
      <body>${body}</body>
    </html>`;
  return `<!doctype html>\n${page.text}`;
}
