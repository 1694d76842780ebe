import type { ChannelAddress } from '@pinkas/domain/delivery';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import {
  type DeliveryChannel,
  type DeliveryRow,
  type DeliveryTables,
  type DocumentKey,
  type DocumentTable,
  deliveryColumns,
  type MessageKey,
} from '../db/delivery.tables.js';
import type { DocumentProgress } from '../message/send-policy.js';
import { suppressedAmong } from '../suppression/suppression.repository.js';

/**
 * What delivery knows of a document. The lock of its row serializes the events of the document and the send attempts of its
 * messages: each sees what the other has committed, so that no message waits for ever or is sent after a cancellation.
 */
export interface DocumentState {
  /** Until when its messages wait for an allocation number; null: none is planned. */
  readonly holdUntil: Date | null;
  readonly cancelled: boolean;
  /** The final PDF; null while there is none. */
  readonly rendered: FinalPdf | null;
}

/** A final PDF, as rendering publishes it. */
export interface FinalPdf {
  readonly revision: number;
  readonly allocationNumber: string | null;
  /** Whether the number is still being obtained. */
  readonly allocationPending: boolean;
  /** Whether it states that the report of its donation was cancelled. */
  readonly reportCancelled: boolean;
  /** Whether it states that no input VAT is deducted by it. */
  readonly notDeductible: boolean;
}

const messageColumns = deliveryColumns.map((column) => `delivery.${column}` as const);
/** Those that no column of a message is named as. */
const ownColumns = [
  'hold_until',
  'revision',
  'allocation_number',
  'allocation_pending',
  'cancelled_at',
  'not_deductible',
] as const;
const columns = [...ownColumns, 'report_cancelled'] as const;

function stateOf(row: Pick<Selectable<DocumentTable>, (typeof columns)[number]>): DocumentState {
  const { revision, allocation_number, allocation_pending, report_cancelled, not_deductible } = row;
  return {
    holdUntil: row.hold_until,
    cancelled: row.cancelled_at !== null,
    rendered:
      revision === null
        ? null
        : {
            revision,
            allocationNumber: allocation_number,
            allocationPending: allocation_pending,
            reportCancelled: report_cancelled,
            notDeductible: not_deductible,
          },
  };
}

/** Locks a document that has a message until the transaction ends. */
export async function lockDocument(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
): Promise<DocumentState> {
  return stateOf(
    await trx
      .selectFrom('document')
      .select(columns)
      .where('business_id', '=', key.business_id)
      .where('document_id', '=', key.document_id)
      .forUpdate()
      .executeTakeFirstOrThrow(),
  );
}

/** Locks a message and its document until the transaction ends. @returns its current row as well. */
export async function lockMessageOf(
  trx: Transaction<DeliveryTables>,
  { business_id, document_id, id }: MessageKey & DocumentKey,
): Promise<{ document: DocumentState; current: DeliveryRow }> {
  const row = await trx
    .selectFrom('document')
    .innerJoin('delivery', (join) =>
      join
        .onRef('delivery.business_id', '=', 'document.business_id')
        .onRef('delivery.document_id', '=', 'document.document_id'),
    )
    .select(ownColumns)
    .select('document.report_cancelled as document_report_cancelled')
    .select(messageColumns)
    .where('document.business_id', '=', business_id)
    .where('document.document_id', '=', document_id)
    .where('delivery.id', '=', id)
    // The document first: every other order of the two could deadlock.
    .forUpdate(['document', 'delivery'])
    .executeTakeFirstOrThrow();
  const {
    hold_until,
    revision,
    allocation_number,
    allocation_pending,
    cancelled_at,
    not_deductible,
    document_report_cancelled: report_cancelled,
    ...current
  } = row;
  const document = {
    hold_until,
    revision,
    allocation_number,
    allocation_pending,
    cancelled_at,
    not_deductible,
    report_cancelled,
  };
  return { document: stateOf(document), current };
}

/** The key of a document of any tenant: an operator names the document alone. */
export async function findDocument(
  db: Database<DeliveryTables>,
  documentId: string,
): Promise<DocumentKey | undefined> {
  return db
    .selectFrom('document')
    .select(['business_id', 'document_id'])
    .where('document_id', '=', documentId)
    .executeTakeFirst();
}

/** A document of which messages are planned. */
export interface PlannedDocument {
  readonly holdUntil: Date;
  /** Whether its first PDF is not final: an allocation number is required. */
  readonly numberRequired: boolean;
}

/**
 * Records that messages of a document are planned, and locks it. A person may have sent one before: the first hold stays.
 * @param addresses that the messages may go to.
 * @returns the channels of those that are suppressed as well.
 */
export async function recordPlanned(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  { holdUntil, numberRequired }: PlannedDocument,
  addresses: readonly ChannelAddress[] = [],
): Promise<DocumentState & { readonly suppressed: DeliveryChannel[] }> {
  const { suppressed, ...row } = await trx
    .insertInto('document')
    .values({
      business_id: key.business_id,
      document_id: key.document_id,
      hold_until: holdUntil,
      revision: numberRequired ? null : 1,
    })
    .onConflict((conflict) =>
      conflict.columns(['business_id', 'document_id']).doUpdateSet({
        hold_until: sql`coalesce(document.hold_until, excluded.hold_until)`,
        revision: sql`coalesce(document.revision, excluded.revision)`,
      }),
    )
    .returning(columns)
    .returning(suppressedAmong(key.business_id, addresses).as('suppressed'))
    .executeTakeFirstOrThrow();
  return { ...stateOf(row), suppressed };
}

/**
 * Records that a PDF of a document is final, and locks the document. Events may come in any order: a number stays, and what is not
 * pending once is not pending again.
 */
export async function recordRendered(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  pdf: FinalPdf,
): Promise<DocumentState> {
  return stateOf(
    await trx
      .insertInto('document')
      .values({
        business_id: key.business_id,
        document_id: key.document_id,
        revision: pdf.revision,
        allocation_number: pdf.allocationNumber,
        allocation_pending: pdf.allocationPending,
        report_cancelled: pdf.reportCancelled,
        not_deductible: pdf.notDeductible,
      })
      .onConflict((conflict) =>
        conflict.columns(['business_id', 'document_id']).doUpdateSet({
          revision: sql`greatest(document.revision, excluded.revision)`,
          allocation_number: sql`coalesce(document.allocation_number, excluded.allocation_number)`,
          allocation_pending: sql`(document.revision is null or document.allocation_pending) and excluded.allocation_pending`,
          report_cancelled: sql`document.report_cancelled or excluded.report_cancelled`,
          not_deductible: sql`document.not_deductible or excluded.not_deductible`,
        }),
      )
      .returning(columns)
      .executeTakeFirstOrThrow(),
  );
}

/** Records that a document is cancelled, and locks it. */
export async function recordCancelled(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('document')
    .values({ business_id: key.business_id, document_id: key.document_id, cancelled_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['business_id', 'document_id'])
        .doUpdateSet({ cancelled_at: sql`coalesce(document.cancelled_at, excluded.cancelled_at)` }),
    )
    .execute();
}

/** The progress of a document in a state. */
export function progressOf({ cancelled, rendered, holdUntil }: DocumentState, now: Date): DocumentProgress {
  const isHeld = rendered?.allocationPending === true && holdUntil !== null && holdUntil > now;
  return { cancelled, rendered: rendered !== null, heldUntil: isHeld ? holdUntil : null };
}
