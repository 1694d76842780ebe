import type { BookEntry, ReviewNote } from '@pinkas/contracts';
import {
  amountOfNote,
  type DocumentType,
  formatShekels,
  fromShekels,
  type SettlementNote,
  settlementOf,
} from '@pinkas/domain';

/** What the owner should know of a document, though the book is consistent. */
export interface Note {
  readonly note: SettlementNote | ReviewNote;
  readonly document_id: string;
  readonly type: DocumentType;
  readonly number: number;
  /** Half a sentence, without personal data. */
  readonly message: string;
}

const sentences: Readonly<Record<SettlementNote | ReviewNote, (amount: string) => string>> = {
  overcredited: (amount) => `it is credited beyond its total, by ${amount}`,
  overpaid: (amount) => `it is paid beyond its total, by ${amount}`,
  partly_paid: (amount) => `it is paid in part, and ${amount} is left to pay`,
  invoiced_twice: () => 'more than one invoice is based on it',
  other_customer: () => 'a receipt or a credit note that is based on it names another customer',
  number_missing: (amount) =>
    `it has no allocation number, since the business was not connected: its buyer cannot deduct VAT of ${amount}`,
};

/** How a document was paid, credited and invoiced, and whether it lacks its number only for want of a connection. */
export function notesOn({ document, state }: Pick<BookEntry, 'document' | 'state'>): Note[] {
  const { id, type, number } = document;
  const noteOf = (note: Note['note'], amount: bigint | null): Note => ({
    note,
    document_id: id,
    type,
    number,
    message: sentences[note](amount === null ? '' : formatShekels(amount)),
  });
  const notes = settlementOf(document, state).notes.map((note) =>
    noteOf(note, amountOfNote(note, document, state)),
  );
  const vat = state.undeductible_vat;
  return vat === undefined ? notes : [...notes, noteOf('number_missing', fromShekels(vat))];
}
