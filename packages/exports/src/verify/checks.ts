import type { IssuedDocument } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';

/** What is verified of a book, in the order of the report, and what to do about a finding. */
export const checks = {
  numbers: {
    proves: 'the numbers of every type have no gaps and no duplicates',
    remedy:
      'A row was deleted or inserted outside the system: restore the issuing database from a backup, and find out who could write to it.',
  },
  dates: {
    proves: 'dates and instants of issue never decrease along the numbers',
    remedy:
      'A row was changed outside the system: compare it with its PDF, and with a backup of the issuing database.',
  },
  totals: {
    proves: 'the totals equal those of the stored items',
    remedy: 'A row was changed outside the system: its signed PDF shows what was issued.',
  },
  sums: {
    proves: 'the sums of each date, which reports are made of, equal those of its documents',
    remedy:
      'A sum or a document was changed outside the system: the other findings name the document; a sum alone is corrected from the documents.',
  },
  payments: {
    proves: 'payments add up to the total, and the paid amount to what was received',
    remedy:
      'A row was changed outside the system: the signed PDFs of the document and of its receipts show what was issued.',
  },
  status: {
    proves: 'a document is closed where its type or a later document closes it, and nowhere else',
    remedy:
      'A row was changed outside the system: compare it, and the documents that are based on it, with a backup of the issuing database.',
  },
  links: {
    proves: 'a document and its source are linked',
    remedy:
      'A row was changed or deleted outside the system: compare both with a backup of the issuing database.',
  },
  pdf: {
    proves: 'every PDF exists with its hash, a valid signature, number, total and allocation number',
    remedy:
      'The stored PDF is not the one that was signed for this document: restore it from a backup of the rendering database, or from a copy that was sent.',
  },
  allocation: {
    proves: 'the allocation number, or that of the donation report, in the book is the tax authority’s',
    remedy:
      'One of the two was changed outside the system: the tax authority’s response in the allocation database and the PDF show which.',
  },
  deliveries: {
    proves: 'nothing was sent twice, or against its delivery status',
    remedy: 'Inform the recipient, and look for the message in the log of the delivery service.',
  },
  chain: {
    proves:
      'every document continues the chain of hashes of its series, and the trail has every change of its state',
    remedy:
      'A row was changed, deleted or inserted outside the system: docs/trail.md says how to find out which, and since when.',
  },
  trail: {
    proves: 'the trails of what operators, owners and callers have changed are whole',
    remedy:
      'An entry was changed, deleted or inserted outside the system: compare the trail with a backup of the database of its service.',
  },
  pending_work: {
    proves: 'no work is undone, unless it is deferred to a known instant or dead-lettered',
    remedy:
      'Check that all services run and verify again; if the finding stays, restart the service whose work is missing, and report a defect.',
  },
} as const;
export type Check = keyof typeof checks;

/** A check that a document, or a series, has failed. */
export interface Finding {
  readonly check: Check;
  /** Null where no document exists. */
  readonly document_id: string | null;
  /** Null where the finding is about a trail. */
  readonly type: DocumentType | null;
  /** Null where the type has no document. */
  readonly number: number | null;
  /** What is wrong: half a sentence, without personal data. */
  readonly message: string;
}

/** A finding about one document. */
export function findingOf(
  check: Check,
  { id, type, number }: Pick<IssuedDocument, 'id' | 'type' | 'number'>,
  message: string,
): Finding {
  return { check, document_id: id, type, number, message };
}
