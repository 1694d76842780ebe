import { documentTypeRules } from '@pinkas/contracts';
import { formatDate, formatInstantDay, formatInstantTime } from './figures.js';
import { itemTable } from './item-table.js';
import { figures, given, html, type Markup } from './markup.js';
import { customerBlock, issuerBlock } from './parties.js';
import { paymentTable } from './payment-table.js';
import { languageOf, type Sheet } from './sheet.js';
import { totalsBlock } from './totals-block.js';
import { remarkWords, said, statusWords, type Words, wording } from './wording.js';

function headingBlock(sheet: Sheet): Markup {
  const { document, output } = sheet;
  const language = languageOf(sheet);
  const rules = documentTypeRules[document.type];
  const heading = language === 'he' ? rules.nameHe : rules.name;
  return html`<section class="heading"><h1>${heading}</h1>${
    language === 'en' && html`<p lang="he" dir="rtl" class="second">${rules.nameHe}</p>`
  }<p class="number">${wording.number[language]} ${figures(String(document.number))}</p><p class="marks">${said(wording[output], language)}<span> | </span>${said(wording.computerized, language)}</p></section>`;
}

/** One fact beside the customer: what it is, and its value. */
const fact = (label: Markup | string, value: Markup, kind?: 'allocation') =>
  html`<div${kind ? html` class="${kind}"` : null}><dt>${label}</dt><dd>${value}</dd></div>`;

function sourceFact(sheet: Sheet): Markup | null {
  const { based_on: source, type } = sheet.document;
  if (source === null) return null;
  const language = languageOf(sheet);
  const label =
    type === 'credit_note' ? wording.credited : type === 'receipt' ? wording.paidFor : wording.source;
  const { name, nameHe } = documentTypeRules[source.type];
  return fact(
    label[language],
    html`${language === 'he' ? nameHe : name} ${figures(String(source.number))} ${wording.ofDate[language]} ${figures(formatDate(source.date))}`,
  );
}

function facts(sheet: Sheet): Markup {
  const { document, allocationNumber } = sheet;
  const language = languageOf(sheet);
  return html`<dl class="facts">${fact(wording.date[language], figures(formatDate(document.date)))}${
    document.due_date !== null && fact(wording.dueDate[language], figures(formatDate(document.due_date)))
  }${sourceFact(sheet)}${
    allocationNumber !== null &&
    fact(said(wording.allocationNumber, language), figures(allocationNumber), 'allocation')
  }</dl>`;
}

/**
 * A cancelled document is kept, and marked as such (Income Tax Bookkeeping Instructions, 18(c), 23A): the word lies across
 * it, over every page, so that no part of it passes for a document that stands; when it was cancelled stands at its head.
 */
function cancelledMarks(sheet: Sheet): Markup | null {
  if (sheet.cancelledAt === null) return null;
  const language = languageOf(sheet);
  return html`<p class="stamp" aria-hidden="true"><span>${statusWords.cancelled[language]}</span></p><p class="cancelled"><strong>${said(wording.cancelled, language)}</strong> ${wording.cancelledOn[language]} ${figures(formatInstantDay(sheet.cancelledAt))} ${wording.atTime[language]} ${figures(formatInstantTime(sheet.cancelledAt))}</p>`;
}

/** What a document must say of itself; on a donation receipt the word 'תרומה' stands out. */
function remarks(sheet: Sheet): Markup[] {
  const { document, business } = sheet;
  const language = languageOf(sheet);
  const found: Markup[] = [];
  if (document.type === 'donation_receipt') {
    found.push(html`<strong>${said(wording.donation, language)}</strong>`);
    if (business.legal_type === 'public_institution') found.push(said(wording.donationApproval, language));
  }
  const remark: Words | undefined = remarkWords[document.type];
  if (remark) found.push(said(remark, language));
  return found.map((sentence) => html`<p class="remark">${sentence}</p>`);
}

/** Each line of the notes on its own: one of them in another direction turns no other one round. */
function notes(sheet: Sheet): Markup | null {
  const { notes: text } = sheet.document;
  if (text === null) return null;
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => html`<p>${given(line)}</p>`);
  return html`<section class="notes"><h2>${wording.notes[languageOf(sheet)]}</h2>${lines}</section>`;
}

function recipientSignature(sheet: Sheet): Markup | null {
  const { type } = sheet.document;
  if (type !== 'delivery_note' && type !== 'return_note') return null;
  const language = languageOf(sheet);
  return html`<section class="signature"><p>${wording.recipientName[language]}</p><p>${wording.signature[language]}</p><p>${wording.date[language]}</p></section>`;
}

/**
 * The document itself, the same on paper and on its page: what the law wants of each type (Income Tax Bookkeeping
 * Instructions, 5, 8, 9, 18b; VAT Bookkeeping Regulations, 9A) and what the caller sent. Plain markup, without style.
 */
export function documentSheet(sheet: Sheet): Markup {
  const { document } = sheet;
  return html`<article class="sheet">${cancelledMarks(sheet)}<header>${issuerBlock(sheet)}${headingBlock(sheet)}</header><div class="parties">${customerBlock(sheet)}${facts(sheet)}</div>${
    document.title !== null && html`<p class="title">${given(document.title)}</p>`
  }${remarks(sheet)}${itemTable(sheet)}${totalsBlock(sheet)}${paymentTable(sheet)}${notes(sheet)}${recipientSignature(sheet)}</article>`;
}
