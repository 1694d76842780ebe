import { directionOf } from './direction.js';
import { figures, given, html, inDirection, joined, type Markup } from './markup.js';
import { languageOf, type Sheet } from './sheet.js';
import { customerRegistrations, customerWords, registrations, said, wording } from './wording.js';

function lines(parts: readonly (Markup | null)[]): Markup[] {
  return parts.filter((part) => part !== null).map((part) => html`<p>${part}</p>`);
}

/** A street and its city, in the order in which their language is read, also in a document of the other one. */
function place(address: string | null, city: string | null): Markup | null {
  if (!address && !city) return null;
  const both = joined([address ? given(address) : null, city ? given(city) : null], ', ');
  return inDirection(directionOf(address || city || ''), both);
}

function logoPicture({ logo }: Sheet): Markup | null {
  if (logo === null) return null;
  // The name stands beside it in words, so it says nothing to those who do not see it.
  return html`<img class="logo" src="${logo.address}" width="${logo.width}" height="${logo.height}" alt="">`;
}

/** The business: its name, its registration number with the words that the law wants, and where it is found. */
export function issuerBlock(sheet: Sheet): Markup {
  const { business } = sheet;
  const language = languageOf(sheet);
  const registration =
    business.tax_id === null
      ? null
      : html`${business.legal_type ? said(registrations[business.legal_type], language) : null} ${figures(business.tax_id)}`;
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
  return html`<section class="issuer">${logoPicture(sheet)}<p class="business">${given(business.name)}</p>${lines(
    [registration, place(business.address, business.city), contact],
  )}</section>`;
}

/** The customer as the document's snapshot has it. */
export function customerBlock(sheet: Sheet): Markup {
  const { customer, type } = sheet.document;
  const language = languageOf(sheet);
  return html`<section class="customer"><h2>${customerWords[type][language]}</h2><p class="name">${given(customer.name)}</p>${lines(
    [
      customer.tax_id
        ? html`${customerRegistrations[customer.legal_type ?? 'unknown'][language]} ${figures(customer.tax_id)}`
        : null,
      place(customer.address, customer.city),
      customer.phone ? html`${wording.phone[language]} ${figures(customer.phone)}` : null,
      customer.email ? figures(customer.email) : null,
    ],
  )}</section>`;
}
