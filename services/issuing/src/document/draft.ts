import type { issueDocument, RequestOf } from '@pinkas/contracts';
import type { Totals } from '@pinkas/domain';
import type { RecipientCheck } from '@pinkas/domain/delivery';
import type { CallContext } from '@pinkas/service-kit';
import type { UnnumberedDocument } from './unnumbered-document.js';

/** A document that waits to be issued: its request, all that does not depend on the series, and its exact totals. */
export interface Draft {
  request: RequestOf<typeof issueDocument>;
  body_sha256: Buffer;
  document: UnnumberedDocument;
  totals: Totals;
  /** Whether the document writes the customer's card. */
  customer_changes: boolean;
  /** What delivery knows of the customer's addresses; never rejects. */
  recipient: Promise<RecipientCheck>;
  /** The context of the request: the draft is issued in the transaction of another request where that one comes first. */
  context: CallContext;
}
