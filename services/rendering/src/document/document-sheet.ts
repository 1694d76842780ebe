import {
  decideDonation,
  documentTypeRules,
  donorOf,
  isApprovedOn,
  lacksDonationReport,
} from '@pinkas/domain';
import {
  attributes,
  compact,
  formatDate,
  formatInstantDay,
  formatInstantTime,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
  shekels,
} from '@pinkas/ui';
import { howToPay } from './how-to-pay.js';
import { itemTable } from './item-table.js';
import { customerBlock, issuerBlock } from './parties.js';
import { paymentTable } from './payment-table.js';
import { qrCode } from './qr-code.js';
import {
  amountDue,
  languageOf,
  paymentsComeFirst,
  type Sheet,
  showsOutput,
  showsPrices,
  validUntil,
} from './sheet.js';
import { bookMarks } from './test-mode/book-marks.js';
import { totalsBlock } from './totals-block.js';
import { cancelledWords, phrase, remarkWords, type Words, wording } from './wording.js';

function headingBlock(sheet: Sheet): Markup {
  const { document, output } = sheet;
  const language = languageOf(sheet);
  const rules = documentTypeRules[document.type];
  const heading = language === 'he' ? rules.nameHe : rules.name;
  const number = leftToRight(String(document.number));
  const marks = sheet.isDraft
    ? html`<p class="marks">${phrase(wording.draft, language)}</p>`
    : compact`
        <p class="number">${wording.number[language]} ${number}</p>
        <p class="marks">
          ${showsOutput(sheet) && html`${phrase(wording[output], language)}<span> | </span>`}
          ${phrase(wording.computerized, language)}
        </p>`;
  return compact`
    <section class="heading">
      <h1>${heading}</h1>
      ${language === 'en' && html`<p lang="he" dir="rtl" class="second">${rules.nameHe}</p>`}
      ${marks}
    </section>`;
}

/** One fact beside the customer: what it is, and its value. */
const fact = (
  label: Markup | string,
  value: Markup | string,
  kind?: 'allocation' | 'allocation pending' | 'due',
) => compact`
  <div${attributes({ class: kind })}>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;

function sourceFact(sheet: Sheet): Markup | null {
  const { based_on: source, type } = sheet.document;
  if (source === null) {
    return null;
  }
  const language = languageOf(sheet);
  const labels = { credit_note: wording.credited, receipt: wording.paidFor };
  const label = type === 'credit_note' || type === 'receipt' ? labels[type] : wording.source;
  const { name, nameHe } = documentTypeRules[source.type];
  return fact(
    label[language],
    html`${language === 'he' ? nameHe : name} ${leftToRight(String(source.number))} ${wording.ofDate[language]} ${leftToRight(formatDate(source.date, language))}`,
  );
}

/** Who gets a document whose number is still to come must not take it for one that has none. */
function numberFact(sheet: Sheet, language: Language): Markup | null {
  const { allocationNumber, numberPending, document, business } = sheet;
  const isDonation = document.type === 'donation_receipt';
  const label = phrase(isDonation ? wording.donationNumber : wording.allocationNumber, language);
  if (
    isDonation &&
    allocationNumber === null &&
    !numberPending &&
    decideDonation(document, business).required
  ) {
    const words = sheet.reportCancelled ? wording.donationCancelled : wording.donationUnreported;
    return fact(phrase(wording.donationReport, language), phrase(words, language), 'allocation pending');
  }
  if (allocationNumber !== null) {
    return fact(label, leftToRight(allocationNumber), 'allocation');
  }
  return numberPending ? fact(label, wording.numberPending[language], 'allocation pending') : null;
}

function facts(sheet: Sheet): Markup {
  const { document } = sheet;
  const language = languageOf(sheet);
  const due = amountDue(sheet);
  const dueLabel = due === document.totals.total ? wording.amountDue : wording.balance;
  const until = validUntil(sheet);
  return html`<dl class="facts">${fact(wording.date[language], leftToRight(formatDate(document.date, language)))}${
    document.due_date !== null &&
    fact(wording.dueDate[language], leftToRight(formatDate(document.due_date, language)))
  }${until !== null && fact(wording.offerUntil[language], leftToRight(formatDate(until, language)))}${
    due !== null && fact(dueLabel[language], shekels(due, language), 'due')
  }${sourceFact(sheet)}${numberFact(sheet, language)}</dl>`;
}

/**
 * A cancelled document is stored and marked as such (Income Tax Bookkeeping Instructions, 18(c), 23A): the word is across every
 * page, so that no page can pass for a valid document, and the time of the cancellation is at its head.
 */
function cancelledMarks(sheet: Sheet): Markup | null {
  if (sheet.cancelledAt === null) {
    return null;
  }
  const language = languageOf(sheet);
  const reason =
    sheet.cancelReason &&
    html`<p>${wording.cancelReason[language]} ${isolate(sheet.cancelReason, language)}</p>`;
  const day = leftToRight(formatInstantDay(sheet.cancelledAt, language));
  const time = leftToRight(formatInstantTime(sheet.cancelledAt));
  return compact`
    ${stamp(sheet)}
    <div class="cancelled">
      <p>
        <strong>${phrase(wording.cancelled, language)}</strong>${' '}
        ${wording.cancelledOn[language]} ${day} ${wording.atTime[language]} ${time}
      </p>
      ${reason ? reason : null}
    </div>`;
}

/** The receipt stays valid; only its report is cancelled, and with it the credit of its donor. */
function reportCancelledMark(sheet: Sheet): Markup | null {
  const language = languageOf(sheet);
  return sheet.reportCancelled
    ? compact`
        <p class="cancelled">
          <strong>${phrase(wording.donationCancelled, language)}</strong>${' '}
          ${wording.donationCancelledNotice[language]}
        </p>`
    : null;
}

/** What the authority prescribes for an invoice that its owner issues without the number that was refused: in bold, at its head. */
function notDeductibleMark(sheet: Sheet): Markup | null {
  return sheet.notDeductible
    ? html`<p class="cancelled"><strong>${phrase(wording.notDeductible, languageOf(sheet))}</strong></p>`
    : null;
}

/** Where the word of a stamp is. */
const stampText = { x: 210, y: 116, 'dominant-baseline': 'central', 'text-anchor': 'middle' };
const stampFrame = { x: 30, y: 60, width: 360, height: 110, rx: 18, fill: 'none', 'stroke-width': 8 };

/** A draft is no document: the word is across it. */
function draftMarks(sheet: Sheet): Markup | null {
  const word = wording.draft[languageOf(sheet)];
  return sheet.isDraft
    ? compact`
        <svg class="stamp" role="img" aria-label="${word}" viewBox="0 0 420 230">
          <text${attributes({ ...stampText, 'font-size': 110, transform: 'rotate(-28 210 115)' })}>${word}</text>
        </svg>`
    : null;
}

/** On a page a picture, since pale letters are no text to be read there; on paper out of the order of reading. */
function stamp(sheet: Sheet): Markup {
  const language = languageOf(sheet);
  const word = cancelledWords[language];
  return sheet.standing
    ? compact`
        <svg class="stamp" role="img" aria-label="${word}" viewBox="0 0 420 230">
          <g transform="rotate(-28 210 115)">
            <rect${attributes(stampFrame)}/>
            <text${attributes({ ...stampText, 'font-size': language === 'he' ? 104 : 66 })}>${word}</text>
          </g>
        </svg>`
    : html`<p class="stamp" aria-hidden="true"><span>${word}</span></p>`;
}

/** That the institution is approved for donations, where it was on the day of the document, whatever its legal type. */
function donationApproval(sheet: Sheet): Markup | null {
  const { document, business } = sheet;
  const { donation_approval: approval } = business;
  if (!approval || !isApprovedOn(business, document.date)) {
    return null;
  }
  const language = languageOf(sheet);
  const until =
    approval.valid_until !== null &&
    html`, ${wording.validUntil[language]} ${leftToRight(formatDate(approval.valid_until, language))}`;
  return html`${phrase(wording.donationApproval, language)} (${wording.approvalNumber[language]} ${leftToRight(approval.number)}${until})`;
}

/** The remarks that the law requires; on a donation receipt the word 'תרומה' is emphasized. */
function remarks(sheet: Sheet): Markup[] {
  const { document, business } = sheet;
  const language = languageOf(sheet);
  const found: Markup[] = [];
  if (document.type === 'donation_receipt') {
    found.push(html`<strong>${phrase(wording.donation, language)}</strong>`);
    const approval = donationApproval(sheet);
    if (approval) {
      found.push(approval);
    }
    // The business is that of the issue, which may have been connected since.
    const isReported = sheet.allocationNumber !== null || decideDonation(document, business).required;
    if (isReported && donorOf(document).kind === 'anonymous') {
      found.push(phrase(wording.donationAnonymous, language));
    }
    if (sheet.allocationNumber === null && lacksDonationReport(document, business)) {
      found.push(html`${wording.donationNotMade[language]}`);
    }
  }
  const remark: Words | undefined = remarkWords[document.type];
  if (remark) {
    found.push(phrase(remark, language));
  }
  return found.map((sentence) => html`<p class="remark">${sentence}</p>`);
}

/** Each line of the notes is isolated: its direction does not affect the others. */
function notes(sheet: Sheet): Markup | null {
  const { notes: text } = sheet.document;
  if (text === null) {
    return null;
  }
  const language = languageOf(sheet);
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => html`<p>${isolate(line, language)}</p>`);
  return compact`
    <section class="notes">
      <h2>${wording.notes[language]}</h2>
      ${lines}
    </section>`;
}

function recipientSignature(sheet: Sheet): Markup | null {
  const { type } = sheet.document;
  if (type !== 'delivery_note' && type !== 'return_note') {
    return null;
  }
  const language = languageOf(sheet);
  return compact`
    <section class="signature">
      <p>${wording.recipientName[language]}</p>
      <p>${wording.signature[language]}</p>
      <p>${wording.date[language]}</p>
    </section>`;
}

/** When it was made, which its date need not be (uniform structure 1.31, note 12), and on paper how it is verified. */
function productionNote(sheet: Sheet): Markup {
  const { issued_at: issuedAt } = sheet.document;
  const language = languageOf(sheet);
  const day = leftToRight(formatInstantDay(issuedAt, language));
  const time = leftToRight(formatInstantTime(issuedAt));
  return compact`
    <div class="production">
      <p>${wording.produced[language]} ${day} ${wording.atTime[language]} ${time}</p>
      ${!sheet.standing && html`<p>${wording.signed[language]}</p>`}
    </div>`;
}

/** The notes and what is said of the document itself, on paper with the way to its page beside them. */
function closing(sheet: Sheet): Markup {
  const language = languageOf(sheet);
  const code =
    sheet.viewUrl !== undefined &&
    compact`
      <div class="scan">
        ${qrCode(sheet.viewUrl, wording.pageCode[language])}
        <p>${wording.scan[language]}</p>
      </div>`;
  return compact`
    <div class="closing">
      <div>
        ${notes(sheet)}
        ${!sheet.isDraft && productionNote(sheet)}
      </div>
      ${code}
    </div>`;
}

/**
 * The document itself, the same on paper and on its page: what the law wants of each type (Income Tax Bookkeeping
 * Instructions, 5, 8, 9, 18b; VAT Bookkeeping Regulations, 9A) and what the caller sent. Plain markup, without style.
 */
export function documentSheet(sheet: Sheet): Markup {
  const { document } = sheet;
  const amounts = [itemTable(sheet), showsPrices(sheet) ? totalsBlock(sheet) : null];
  const payments = paymentTable(sheet);
  const body = paymentsComeFirst(sheet) ? [payments, ...amounts] : [...amounts, payments];
  return compact`
    <article class="sheet">
      ${bookMarks(sheet)}
      ${cancelledMarks(sheet)}
      ${reportCancelledMark(sheet)}
      ${notDeductibleMark(sheet)}
      ${draftMarks(sheet)}
      <header>
        ${issuerBlock(sheet)}
        ${headingBlock(sheet)}
      </header>
      <div class="parties">
        ${customerBlock(sheet)}
        ${facts(sheet)}
      </div>
      ${document.title !== null && html`<p class="title">${isolate(document.title, languageOf(sheet))}</p>`}
      ${remarks(sheet)}
      ${body.filter((part) => part !== null)}
      ${howToPay(sheet)}
      ${closing(sheet)}
      ${recipientSignature(sheet)}
    </article>`;
}
