import type {
  AllocationOutcome,
  DeliveryOutcome,
  DocumentHead,
  DocumentState,
  IssuedDocument,
} from '@pinkas/contracts';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { CreationOutcomes, DocumentTable, IssuingTables } from './document.tables.js';

export type DocumentRow = Selectable<DocumentTable>;
type Reader = Database<IssuingTables> | Transaction<IssuingTables>;

/** The columns that a document's head, and what has become of it, are made of. */
export const headColumns = [
  'document.id',
  'document.business_id',
  'document.public_id',
  'document.type',
  'document.number',
  'document.dated_on',
  'document.due_on',
  'document.issued_at',
  'document.external_ref',
  'document.customer',
  'document.subtotal',
  'document.discount',
  'document.vat',
  'document.vat_rate',
  'document.total',
  'document.source',
  'document.status',
  'document.paid',
  'document.allocation_number',
  'document.cancelled_at',
] as const;
type ColumnName<Column> = Column extends `document.${infer Name}` ? Name : never;
export type HeadRow = Pick<DocumentRow, ColumnName<(typeof headColumns)[number]> & keyof DocumentRow>;

/** What a list tells of a document, from its row. */
export function toHead(row: HeadRow): DocumentHead {
  return {
    id: row.id,
    business_id: row.business_id,
    public_id: row.public_id,
    type: row.type,
    number: row.number,
    date: row.dated_on,
    due_date: row.due_on,
    issued_at: row.issued_at.toISOString(),
    external_ref: row.external_ref,
    customer: row.customer,
    totals: {
      subtotal: Number(row.subtotal),
      discount: Number(row.discount),
      vat: Number(row.vat),
      vat_rate: Number(row.vat_rate),
      total: Number(row.total),
      currency: 'ILS',
    },
    based_on: row.source,
  };
}

/** Everything that was fixed at issue, from its row. */
export function toDocument(row: DocumentRow): IssuedDocument {
  return {
    ...toHead(row),
    items: row.items,
    prices_include_vat: row.prices_include_vat,
    discount: row.discount_rule,
    payments: row.payments,
    title: row.title,
    notes: row.notes,
    send: row.send,
  };
}

/** What has become of a document, from its row. */
export function toState(row: HeadRow): DocumentState {
  return {
    status: row.status,
    paid: Number(row.paid),
    allocation_number: row.allocation_number,
    cancelled_at: row.cancelled_at?.toISOString() ?? null,
  };
}

export async function findByKey(
  db: Reader,
  businessId: string,
  idempotencyKey: string,
): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('document')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
}

export async function findById(db: Reader, businessId: string, id: string): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('document')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds a document and keeps it from being changed, cancelled or made a source until the transaction ends. */
export async function lockById(
  trx: Transaction<IssuingTables>,
  businessId: string,
  id: string,
): Promise<DocumentRow | undefined> {
  return trx
    .selectFrom('document')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function findByPublicId(db: Reader, publicId: string): Promise<DocumentRow | undefined> {
  return db.selectFrom('document').selectAll().where('public_id', '=', publicId).executeTakeFirst();
}

/**
 * Puts a document into the book: its row, the series moved on by the one number, and the day's count, in one statement.
 * @returns null when the API key's count for the day is full; the transaction must be rolled back then.
 */
export async function insertIssued(
  trx: Transaction<IssuingTables>,
  document: Insertable<DocumentTable>,
  counted: { day: string; limit: number },
): Promise<DocumentRow | null> {
  const { is_counted, ...row } = await trx
    .with('counted', (query) =>
      query
        .insertInto('daily_count')
        .values({
          business_id: document.business_id,
          key_id: document.key_id,
          counted_on: counted.day,
          documents: 1,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['business_id', 'key_id', 'counted_on'])
            .doUpdateSet({ documents: sql`daily_count.documents + 1` })
            .where('daily_count.documents', '<', counted.limit),
        )
        .returning('documents'),
    )
    .with('moved_on', (query) =>
      query
        .updateTable('series')
        .set({
          next_number: document.number + 1,
          last_date: document.dated_on,
          last_issued_at: document.issued_at,
        })
        .where('business_id', '=', document.business_id)
        .where('type', '=', document.type)
        .returning('next_number'),
    )
    .with('issued', (query) => query.insertInto('document').values(document).returningAll())
    .selectFrom('issued')
    .selectAll()
    .select((query) => query.exists(query.selectFrom('counted').select('documents')).as('is_counted'))
    .executeTakeFirstOrThrow();
  return is_counted ? row : null;
}

/** The sum of the credit notes based on a document, as text with two decimals. */
export async function creditedTotal(
  trx: Transaction<IssuingTables>,
  businessId: string,
  id: string,
): Promise<string> {
  const { credited } = await trx
    .selectFrom('document')
    .select(sql<string>`coalesce(sum(total), 0)`.as('credited'))
    .where('business_id', '=', businessId)
    .where('source_id', '=', id)
    .where('type', '=', 'credit_note')
    .executeTakeFirstOrThrow();
  return credited;
}

/** Whether a tax invoice, or a tax invoice / receipt, is based on a document. */
export async function isInvoiced(
  trx: Transaction<IssuingTables>,
  businessId: string,
  id: string,
): Promise<boolean> {
  const invoice = await trx
    .selectFrom('document')
    .select('id')
    .where('business_id', '=', businessId)
    .where('source_id', '=', id)
    .where('type', 'in', ['tax_invoice', 'tax_invoice_receipt'])
    .limit(1)
    .executeTakeFirst();
  return invoice !== undefined;
}

/** Cancels a document that is locked. @returns its row as it is from now on. */
export async function markCancelled(
  trx: Transaction<IssuingTables>,
  document: { business_id: string; id: string },
  cancellation: { at: Date; reason: string | null },
): Promise<DocumentRow> {
  return trx
    .updateTable('document')
    .set({ status: 'cancelled', cancelled_at: cancellation.at, cancel_reason: cancellation.reason })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Closes a source or adds to what was paid of it. */
export async function applyToSource(
  trx: Transaction<IssuingTables>,
  source: { business_id: string; id: string },
  effect: { closes: boolean; paysShekels: string },
): Promise<void> {
  await trx
    .updateTable('document')
    .set({
      paid: sql`paid + ${effect.paysShekels}::numeric`,
      ...(effect.closes ? { status: 'closed' as const } : {}),
    })
    .where('business_id', '=', source.business_id)
    .where('id', '=', source.id)
    .execute();
}

/**
 * Remembers the outcomes that a creation is answered with, unless that was done before.
 * @returns the outcomes that stand, whoever wrote them first.
 */
export async function rememberCreation(
  db: Reader,
  document: { business_id: string; id: string },
  outcomes: CreationOutcomes,
): Promise<CreationOutcomes> {
  const creation = JSON.stringify(outcomes);
  const { creation: standing } = await db
    .updateTable('document')
    .set({
      creation: sql`coalesce(creation, ${creation}::jsonb)`,
      allocation: sql`coalesce(allocation, ${JSON.stringify(outcomes.allocation)}::jsonb)`,
      delivery: sql`coalesce(delivery, ${JSON.stringify(outcomes.delivery)}::jsonb)`,
      // The number is printed from now on, so a reader must see it from now on.
      allocation_number: sql`coalesce(allocation_number, ${outcomes.allocation.number}::text)`,
    })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .returning('creation')
    .executeTakeFirstOrThrow();
  return standing as CreationOutcomes;
}

/** Records what allocation found. A number that was granted is never taken back by a late word of failure. */
export async function recordAllocation(
  trx: Transaction<IssuingTables>,
  document: { business_id: string; id: string },
  outcome: AllocationOutcome,
): Promise<void> {
  await trx
    .updateTable('document')
    .set({ allocation: JSON.stringify(outcome), allocation_number: outcome.number })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .where(sql<boolean>`allocation is distinct from ${JSON.stringify(outcome)}::jsonb`)
    .where((where) =>
      where.or([where('allocation_number', 'is', null), where('allocation_number', '=', outcome.number)]),
    )
    .execute();
}

/** Records what delivery plans, unless the creation has recorded the same. */
export async function recordDelivery(
  trx: Transaction<IssuingTables>,
  document: { business_id: string; id: string },
  outcome: DeliveryOutcome,
): Promise<void> {
  await trx
    .updateTable('document')
    .set({ delivery: JSON.stringify(outcome) })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .where(sql<boolean>`delivery is distinct from ${JSON.stringify(outcome)}::jsonb`)
    .execute();
}
