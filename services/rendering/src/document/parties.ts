import { type DocumentType, fieldDirection, registryOf } from '@pinkas/domain';
import {
  compact,
  html,
  inDirection,
  isolate,
  join,
  type Language,
  leftToRight,
  type Markup,
} from '@pinkas/ui';
import { languageOf, type Sheet } from './sheet.js';
import {
  customerRegistrations,
  customerWords,
  phrase,
  registrations,
  registryWords,
  type Words,
  wording,
} from './wording.js';

function lines(parts: readonly (Markup | null)[]): Markup[] {
  return parts.filter((part) => part !== null).map((part) => html`<p>${part}</p>`);
}

/** A street and its city, in the order in which their language is read, also in a document of the other one. */
function place(address: string | null, city: string | null, language: Language): Markup | null {
  if (!address && !city) {
    return null;
  }
  const both = join(
    [address ? isolate(address, language) : null, city ? isolate(city, language) : null],
    ', ',
  );
  return inDirection(fieldDirection(`${address ?? ''} ${city ?? ''}`, language), both);
}

function logoPicture({ logo }: Sheet): Markup | null {
  if (logo === null) {
    return null;
  }
  // The name is next to it in words, so it states nothing to those who do not see it.
  return html`<img class="logo" src="${logo.address}" width="${logo.width}" height="${logo.height}" alt="">`;
}

/** The business: its name, its registration number with the words that the law wants, and where it is found. */
export function issuerBlock(sheet: Sheet): Markup {
  const { business } = sheet;
  const language = languageOf(sheet);
  const registration =
    business.tax_id === null
      ? null
      : html`${business.legal_type ? phrase(registrations[business.legal_type], language) : null} ${leftToRight(business.tax_id)}`;
  const contact =
    business.phone || business.email
      ? join(
          [
            business.phone ? html`${wording.phone[language]} ${leftToRight(business.phone)}` : null,
            business.email ? leftToRight(business.email) : null,
          ],
          ' · ',
        )
      : null;
  return compact`
    <section class="issuer">
      ${logoPicture(sheet)}
      <p class="business">${isolate(business.name, language)}</p>
      ${lines([registration, place(business.address, business.city, language), contact])}
    </section>`;
}

/** What the number of a customer is called: by the legal type that the caller named, else by the number itself. */
function customerRegistration(
  { legal_type: legalType }: Sheet['document']['customer'],
  taxId: string,
  type: DocumentType,
): Words {
  if (legalType !== null) {
    return customerRegistrations[legalType];
  }
  const registry = registryOf(taxId);
  if (registry !== null) {
    return registryWords[registry];
  }
  // A donor who is in no register is a person.
  return customerRegistrations[type === 'donation_receipt' ? 'private' : 'unknown'];
}

/** The customer as the document's snapshot has it. */
export function customerBlock(sheet: Sheet): Markup {
  const { customer, type, foreign_donor: foreign } = sheet.document;
  const language = languageOf(sheet);
  const passport =
    foreign?.passport !== undefined && html`, ${wording.passport[language]} ${leftToRight(foreign.passport)}`;
  const known = lines([
    customer.tax_id
      ? html`${customerRegistration(customer, customer.tax_id, type)[language]} ${leftToRight(customer.tax_id)}`
      : null,
    foreign ? html`${wording.foreignDonor[language]} (${leftToRight(foreign.country)})${passport}` : null,
    place(customer.address, customer.city, language),
    customer.phone ? html`${wording.phone[language]} ${leftToRight(customer.phone)}` : null,
    customer.email ? leftToRight(customer.email) : null,
  ]);
  return compact`
    <section class="customer">
      <h2>${customerWords[type][language]}</h2>
      <p class="name">${isolate(customer.name, language)}</p>
      ${known}
    </section>`;
}
