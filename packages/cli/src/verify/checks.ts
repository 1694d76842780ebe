import type { DocumentType, IssuedDocument } from '@pinkas/contracts';

/** What is proved of a book, in the order of the report; and what to do where it does not hold. */
export const checks = {
  numbers: {
    proves: 'the numbers of every type, without gap or double',
    remedy:
      'A row was taken away or put in behind the system: bring the issuing database back from a backup, and find out who could write to it.',
  },
  dates: {
    proves: 'dates and instants of issue never fall along the numbers',
    remedy:
      'A row was changed behind the system: compare it with its PDF, and with a backup of the issuing database.',
  },
  totals: {
    proves: 'the totals are those of the stored items',
    remedy: 'A row was changed behind the system: its signed PDF shows what was issued.',
  },
  payments: {
    proves: 'payments make up the total, and what is paid is what was received',
    remedy:
      'A row was changed behind the system: the signed PDFs of the document and of its receipts show what was issued.',
  },
  links: {
    proves: 'a document and its source stay linked',
    remedy:
      'A row was changed or taken away behind the system: compare both with a backup of the issuing database.',
  },
  pdf: {
    proves: 'every PDF is there with its hash, a valid signature, number, total and allocation number',
    remedy:
      'The stored PDF is not what was signed for this document: bring it back from a backup of the rendering database, or from a copy that was sent.',
  },
  allocation: {
    proves: 'the allocation number in the book is the tax authority’s',
    remedy:
      'One of the two was changed behind the system: the answer of the authority that the allocation service keeps, and the PDF, show which.',
  },
  deliveries: {
    proves: 'nothing was sent twice, nor what was not to be sent',
    remedy: 'Tell the recipient, and look into the log of the delivery service for the message.',
  },
  steps: {
    proves: 'no step is undone, but for those that wait for a known instant or are shown as given up',
    remedy:
      'See whether all services run (npm run up) and verify again; a step that stays undone is a fault of ours: restart the service that owes it.',
  },
} as const;
export type Check = keyof typeof checks;

/** Something in a book that does not hold. */
export interface Fault {
  readonly check: Check;
  /** Null where the fault is that there is no document. */
  readonly document_id: string | null;
  readonly type: DocumentType;
  /** Null where no number of the type was ever found. */
  readonly number: number | null;
  /** What is wrong: half a sentence, without personal data. */
  readonly message: string;
}

/** A fault of one document. */
export function faultOf(
  check: Check,
  { id, type, number }: Pick<IssuedDocument, 'id' | 'type' | 'number'>,
  message: string,
): Fault {
  return { check, document_id: id, type, number, message };
}
