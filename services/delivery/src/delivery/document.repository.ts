import { advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryTables, DocumentKey } from './delivery.tables.js';

/**
 * Serializes the events of a document and the send attempts of its messages: each sees what the other has committed, so that
 * no message waits for ever or is sent after a cancellation.
 */
export async function lockDocument(trx: Transaction<DeliveryTables>, key: DocumentKey): Promise<void> {
  await advisoryLock(trx, key.business_id, key.document_id);
}

/** What delivery knows of a document. */
export interface DocumentState {
  readonly cancelled: boolean;
  /** The final PDF; null while there is none. */
  readonly rendered: FinalPdf | null;
}

/** Reads the state of a document. Where the document is locked, it stays as read until the end of the transaction. */
export async function readDocument(db: Database<DeliveryTables>, key: DocumentKey): Promise<DocumentState> {
  const { rows } = await sql<{
    cancelled: boolean;
    revision: number | null;
    allocation_number: string | null;
    allocation_pending: boolean | null;
  }>`
    select
      exists (
        select from cancelled_document where business_id = ${key.business_id} and document_id = ${key.document_id}
      ) as cancelled,
      rendered.revision, rendered.allocation_number, rendered.allocation_pending
    from (values (1)) as one
      left join rendered_document as rendered
        on rendered.business_id = ${key.business_id} and rendered.document_id = ${key.document_id}
  `.execute(db);
  const { cancelled = false, revision = null, allocation_number = null, allocation_pending } = rows[0] ?? {};
  return {
    cancelled,
    rendered:
      revision === null
        ? null
        : { revision, allocationNumber: allocation_number, allocationPending: allocation_pending === true },
  };
}

/** What decides whether a message of a document may be sent. */
export interface DocumentProgress {
  readonly cancelled: boolean;
  /** Whether the final PDF exists. */
  readonly rendered: boolean;
  /** Until when its messages wait for the allocation number; null: they do not. */
  readonly heldUntil: Date | null;
}

/** The progress of a document in a state. @param holdUntil of its plan. */
export function progressOf(
  { cancelled, rendered }: DocumentState,
  holdUntil: Date,
  now: Date,
): DocumentProgress {
  const isHeld = rendered?.allocationPending === true && holdUntil > now;
  return { cancelled, rendered: rendered !== null, heldUntil: isHeld ? holdUntil : null };
}

/** A final PDF, as rendering publishes it. */
export interface FinalPdf {
  readonly revision: number;
  readonly allocationNumber: string | null;
  /** Whether the number is still being obtained. */
  readonly allocationPending: boolean;
}

/** Records that the final PDF of a document exists. Events may come in any order: a number stays, and what is not pending once is not pending again. */
export async function recordRendered(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  pdf: FinalPdf,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('rendered_document')
    .values({
      business_id: key.business_id,
      document_id: key.document_id,
      revision: pdf.revision,
      allocation_number: pdf.allocationNumber,
      allocation_pending: pdf.allocationPending,
      rendered_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['business_id', 'document_id']).doUpdateSet({
        revision: sql`greatest(rendered_document.revision, excluded.revision)`,
        allocation_number: sql`coalesce(rendered_document.allocation_number, excluded.allocation_number)`,
        allocation_pending: sql`rendered_document.allocation_pending and excluded.allocation_pending`,
      }),
    )
    .execute();
}
