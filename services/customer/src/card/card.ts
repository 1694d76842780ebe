import {
  type CustomerDetail,
  type CustomerInput,
  type CustomerSnapshot,
  customerDetails,
  isAdded,
} from '@pinkas/contracts';
import { isBlank, normaliseTaxId, trimmed } from '@pinkas/domain';

/** The details of a card beside the name. */
export type CardDetails = Omit<CustomerSnapshot, 'id' | 'name'>;

/** The details of which each has a value or null; one that older documents lack is there only with a value. */
export const detailsOf = (of: (detail: CustomerDetail) => string | null | undefined): CardDetails =>
  Object.fromEntries(
    customerDetails.flatMap((detail) => {
      const value = of(detail) ?? null;
      return value === null && isAdded(detail) ? [] : [[detail, value]];
    }),
  ) as unknown as CardDetails;

/** Of a card that is not opened. */
export const noDetails = detailsOf(() => null);

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
    card.confirmed_at === null ||
    customerDetails.some((name) => card[name] === null && (details[name] ?? null) !== null)
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
    ...detailsOf((detail) => nonBlank(input[detail]) ?? card[detail]),
  };
}
