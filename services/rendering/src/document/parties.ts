import { figures, given, html, joined, type Markup } from './markup.js';
import { languageOf, type Sheet } from './sheet.js';
import { customerWords, registrations, wording } from './wording.js';

function lines(parts: readonly (Markup | null)[]): Markup[] {
  return parts.filter((part) => part !== null).map((part) => html`<p>${part}</p>`);
}

function place(address: string | null, city: string | null): Markup | null {
  if (!address && !city) return null;
  return joined([address ? given(address) : null, city ? given(city) : null], ', ');
}

/** The business: its name, its registration number with the words that the law wants, and where it is found. */
export function issuerBlock(sheet: Sheet): Markup {
  const { business } = sheet;
  const language = languageOf(sheet);
  const registration =
    business.tax_id === null
      ? null
      : html`${business.legal_type ? registrations[business.legal_type][language] : ''} ${figures(business.tax_id)}`;
  const contact =
    business.phone || business.email
      ? joined(
          [
            business.phone ? html`${wording.phone[language]} ${figures(business.phone)}` : null,
            business.email ? figures(business.email) : null,
          ],
          ' · ',
        )
      : null;
  return html`<section class="issuer"><h2>${given(business.name)}</h2>${lines([
    registration,
    place(business.address, business.city),
    contact,
  ])}</section>`;
}

/** The customer as the document's snapshot has it. */
export function customerBlock(sheet: Sheet): Markup {
  const { customer, type } = sheet.document;
  const language = languageOf(sheet);
  return html`<section class="customer"><h3>${customerWords[type][language]}</h3><p class="name">${given(customer.name)}</p>${lines(
    [
      customer.tax_id ? html`${wording.customerTaxId[language]} ${figures(customer.tax_id)}` : null,
      place(customer.address, customer.city),
      customer.phone ? html`${wording.phone[language]} ${figures(customer.phone)}` : null,
      customer.email ? figures(customer.email) : null,
    ],
  )}</section>`;
}
