import {
  bankFacts,
  compact,
  html,
  isolate,
  leftToRight,
  type Markup,
  paymentInstructionWords,
} from '@pinkas/ui';
import { qrCode } from './qr-code.js';
import { asksForPayment, languageOf, type Sheet } from './sheet.js';

/** The owner's page for paying, as text on paper, where readers of PDFs find addresses by themselves, and as a link on a page. */
function linkFact({ standing }: Sheet, link: string, label: string): Markup {
  const address = leftToRight(link);
  const shown = standing
    ? html`<a href="${link}" rel="noopener noreferrer nofollow">${address}</a>`
    : address;
  return compact`
    <div>
      <dt>${label}</dt>
      <dd>${shown}</dd>
    </div>`;
}

/**
 * How to pay, as the business stated it when the document was issued; nothing on a document that asks for no payment, or no more.
 * Its code is on the page alone, where the code of the paper leads: readers of a paper with two codes often find neither.
 */
export function howToPay(sheet: Sheet): Markup | null {
  const { payment_instructions: given } = sheet.business;
  if (given === undefined || !asksForPayment(sheet)) {
    return null;
  }
  const language = languageOf(sheet);
  const { link } = given;
  const facts = bankFacts(given, language).map(
    ({ name, value, isFigures }) => compact`
      <div>
        <dt>${isolate(name, language)}</dt>
        <dd>${isFigures ? leftToRight(value) : isolate(value, language)}</dd>
      </div>`,
  );
  const code =
    link !== undefined &&
    sheet.viewUrl === undefined &&
    compact`
      <div class="scan">
        ${qrCode(link, paymentInstructionWords.code[language])}
        <p>${paymentInstructionWords.scan[language]}</p>
      </div>`;
  return compact`
    <section class="pay">
      <div>
        <h2>${paymentInstructionWords.title[language]}</h2>
        <dl>${facts}${link !== undefined && linkFact(sheet, link, paymentInstructionWords.link[language])}</dl>
      </div>
      ${code}
    </section>`;
}
