import { type CustomerInput, type CustomerSnapshot, cardDetails } from '@pinkas/contracts';
import { isBlank, normaliseTaxId, trimmed } from '@pinkas/domain';

/** The details of a card beside the name. */
export type CardDetails = Omit<CustomerSnapshot, 'id' | 'name'>;

/** A name as it is stored: in Unicode NFC, trimmed. */
export function cardName(name: string): string {
  return trimmed(name.normalize('NFC'));
}

/** Whether a document with these details writes the card: it is no customer yet, or lacks one of them. */
export function changesCard(
  card: CardDetails & { confirmed_at: Date | null },
  details: CardDetails,
): boolean {
  return (
    card.confirmed_at === null || cardDetails.some((name) => card[name] === null && details[name] !== null)
  );
}

/** The tax id that a search text may be, in nine digits: leading zeros may be there or not. */
export function parseTaxId(text: string): string | null {
  return /^\d{1,9}$/.test(text) ? normaliseTaxId(text) : null;
}

/** Blank text counts as absent. */
export const nonBlank = <T extends string>(text: T | undefined): T | null =>
  text === undefined || isBlank(text) ? null : text;

/**
 * The customer snapshot of a document: the request's details, filled in from the card. A name beside an `id` is ignored.
 */
export function snapshotOf(
  card: CardDetails & { id: string; name: string },
  input: CustomerInput,
): CustomerSnapshot {
  return {
    id: card.id,
    name: input.id === undefined && input.name !== undefined ? input.name : card.name,
    tax_id: nonBlank(input.tax_id) ?? card.tax_id,
    legal_type: input.legal_type ?? card.legal_type,
    email: nonBlank(input.email) ?? card.email,
    phone: nonBlank(input.phone) ?? card.phone,
    address: nonBlank(input.address) ?? card.address,
    city: nonBlank(input.city) ?? card.city,
  };
}
