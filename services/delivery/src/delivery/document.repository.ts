import { advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { DeliveryTables, DocumentKey, RenderedDocumentTable } from './delivery.tables.js';

/**
 * Serializes the events of a document and the send attempts of its messages: each sees what the other has committed, so that
 * no message waits for ever or is sent after a cancellation.
 */
export async function lockDocument(trx: Transaction<DeliveryTables>, key: DocumentKey): Promise<void> {
  await advisoryLock(trx, key.business_id, key.document_id);
}

/** What is known of the final PDF of a document; undefined while there is none. */
export async function findRendered(
  db: Database<DeliveryTables>,
  key: DocumentKey,
): Promise<Selectable<RenderedDocumentTable> | undefined> {
  return db
    .selectFrom('rendered_document')
    .select([
      'business_id',
      'document_id',
      'revision',
      'allocation_number',
      'allocation_pending',
      'rendered_at',
    ])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
}

/** What decides whether a message of a document may be sent. */
export interface DocumentProgress {
  readonly cancelled: boolean;
  /** Whether the final PDF exists. */
  readonly rendered: boolean;
  /** Until when its messages wait for the allocation number; null: they do not. */
  readonly heldUntil: Date | null;
}

/** Reads the progress of a document. @param holdUntil of its plan. */
export async function readProgress(
  db: Database<DeliveryTables>,
  key: DocumentKey,
  holdUntil: Date,
  now: Date,
): Promise<DocumentProgress> {
  const cancelled = await isCancelled(db, key);
  const rendered = await findRendered(db, key);
  const isHeld = rendered?.allocation_pending === true && holdUntil > now;
  return { cancelled, rendered: rendered !== undefined, heldUntil: isHeld ? holdUntil : null };
}

/** Whether the cancellation of a document is recorded here. */
export async function isCancelled(db: Database<DeliveryTables>, key: DocumentKey): Promise<boolean> {
  const row = await db
    .selectFrom('cancelled_document')
    .select('recorded_at')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  return row !== undefined;
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
