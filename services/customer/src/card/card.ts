import { type CustomerInput, type CustomerSnapshot, normaliseTaxId } from '@pinkas/contracts';

/** What a card may know of a customer beside the name. */
export type CardDetails = Omit<CustomerSnapshot, 'id' | 'name'>;

/** A name as it is kept: in Unicode NFC, without white space around it. */
export function cardName(name: string): string {
  return name.normalize('NFC').trim();
}

/**
 * What names are compared by: Unicode NFC, trimmed, inner white space folded to one space, letter case folded. Upper case
 * first, then lower case, comes close to Unicode's case folding: 'Straße' and 'STRASSE' are one name, and so is a sigma at
 * the end of a word.
 */
export function nameKey(name: string): string {
  return cardName(name).replaceAll(/\s+/g, ' ').toUpperCase().toLowerCase().normalize('NFC');
}

/** The tax id that a search text may be, in nine digits: leading zeros may be there or not. */
export function taxIdIn(text: string): string | null {
  return /^\d{1,9}$/.test(text) ? normaliseTaxId(text) : null;
}

/** A text of white space only says nothing. */
const said = <T extends string>(text: T | undefined): T | null => (text?.trim() ? text : null);

/**
 * The customer as the document will bear it: what the request said, and from the card what it did not say. A name beside
 * an `id` counts as not said.
 */
export function snapshotOf(
  card: CardDetails & { id: string; name: string },
  input: CustomerInput,
): CustomerSnapshot {
  return {
    id: card.id,
    name: input.id === undefined && input.name !== undefined ? input.name : card.name,
    tax_id: said(input.tax_id) ?? card.tax_id,
    legal_type: input.legal_type ?? card.legal_type,
    email: said(input.email) ?? card.email,
    phone: said(input.phone) ?? card.phone,
    address: said(input.address) ?? card.address,
    city: said(input.city) ?? card.city,
  };
}
