import {
  type AllocationOutcome,
  type DeliveryOutcome,
  type DonationOutcome,
  type RefusedNumber,
} from '@pinkas/contracts';
import { type Database, isAdvisoryLockFree, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { DocumentTable, IssuingTables, ReplyOutcomes } from './document.tables.js';

/** What a document is, without its hash, which only its insert and the audit need, and what the database derives for lists. */
export type DocumentRow = Omit<Selectable<DocumentTable>, 'hash' | 'settlement'>;
/** A document that has no position in the book yet. */
export type NewDocumentRow = Omit<DocumentRow, 'position'>;
/** What reads, in a transaction or not. */
export type Reader = Database<IssuingTables> | Transaction<IssuingTables>;

/** The columns of a document's head and state. */
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
  'document.set_off',
  'document.withheld',
  'document.allocation_number',
  'document.allocation',
  'document.donation',
  'document.cancelled_at',
] as const;
type ColumnName<Column> = Column extends `document.${infer Name}` ? Name : never;
export type HeadRow = Pick<DocumentRow, ColumnName<(typeof headColumns)[number]> & keyof DocumentRow>;

/** All of them, by name, so that the statements are prepared. */
const documentColumns = [
  'business_id',
  'id',
  'public_id',
  'type',
  'number',
  'position',
  'status',
  'dated_on',
  'due_on',
  'issued_at',
  'cancelled_at',
  'cancel_reason',
  'external_ref',
  'idempotency_key',
  'body_sha256',
  'key_id',
  'person_id',
  'business',
  'customer_id',
  'customer',
  'account_id',
  'items',
  'prices_include_vat',
  'discount_rule',
  'payments',
  'subtotal',
  'discount',
  'vat',
  'vat_rate',
  'total',
  'total_agorot',
  'paid',
  'set_off',
  'withheld',
  'balance',
  'source_id',
  'source',
  'title',
  'notes',
  'send',
  'foreign_donor',
  'artifact_sha256',
  'allocation_number',
  'allocation',
  'delivery',
  'donation',
  'reply_outcomes',
  'warnings',
] as const satisfies readonly (keyof DocumentTable)[];

/**
 * The document that an idempotency key has issued, and whether another replica issues with the key now: a request that begins in
 * the instant of this statement gets `request_in_progress`, which is true.
 */
export async function findByKey(
  db: Reader,
  businessId: string,
  idempotencyKey: string,
): Promise<{ existing: DocumentRow | undefined; isInProgress: boolean }> {
  const found = await db
    .selectFrom(
      sql<{ is_free: boolean }>`(select ${isAdvisoryLockFree(businessId, idempotencyKey)} as is_free)`.as(
        'key',
      ),
    )
    .leftJoin('document', (join) =>
      join.on('document.business_id', '=', businessId).on('document.idempotency_key', '=', idempotencyKey),
    )
    .select(documentColumns.map((column) => `document.${column}` as const))
    .select('key.is_free')
    .executeTakeFirstOrThrow();
  const { is_free: isFree, ...row } = found;
  return { existing: row.id === null ? undefined : (row as DocumentRow), isInProgress: !isFree };
}

export async function findById(db: Reader, businessId: string, id: string): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('document')
    .select(documentColumns)
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds a document and locks it: until the transaction ends no other one can change or cancel it, or base a document on it. */
export async function lockById(
  trx: Transaction<IssuingTables>,
  businessId: string,
  id: string,
): Promise<DocumentRow | undefined> {
  return trx
    .selectFrom('document')
    .select(documentColumns)
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Finds documents and locks them, in one order for all transactions, with the effect of `lockById`.
 * @param withProformas whether the proformas that they are based on are locked as well.
 */
export async function lockByIds(
  trx: Transaction<IssuingTables>,
  businessId: string,
  ids: readonly string[],
  withProformas: boolean,
): Promise<DocumentRow[]> {
  // What a document is based on never changes: it may be read before the lock.
  const all = sql<string>`any(${ids}::uuid[] || case when ${withProformas} then array(
    select source_id from document
    where business_id = ${businessId} and id = any(${ids}::uuid[]) and source ->> 'type' = 'proforma') end)`;
  return trx
    .selectFrom('document')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('id', '=', all)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Locks the book until the transaction ends: sums change under its lock alone, so that no two transactions wait in a circle. */
export async function lockBook(trx: Transaction<IssuingTables>, businessId: string): Promise<void> {
  await trx
    .selectFrom('book')
    .select('last_position')
    .where('business_id', '=', businessId)
    .forUpdate()
    .execute();
}

/** A document of whatever business the connection sees: searched in each book, since no index has ids alone. */
export async function findAnywhere(db: Reader, id: string): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('document')
    .select(documentColumns)
    .where('business_id', 'in', (books) => books.selectFrom('book').select('business_id'))
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function findByPublicId(db: Reader, publicId: string): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('document')
    .select(documentColumns)
    .where('public_id', '=', publicId)
    .executeTakeFirst();
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

/** Cancels a locked document. @returns its row after the change. */
export async function markCancelled(
  trx: Transaction<IssuingTables>,
  document: { business_id: string; id: string },
  cancellation: { at: Date; reason: string | null },
): Promise<DocumentRow> {
  return trx
    .updateTable('document')
    .set({
      status: 'cancelled',
      balance: null,
      cancelled_at: cancellation.at,
      cancel_reason: cancellation.reason,
    })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** What documents that are based on a source do to it. */
export interface SourceChange {
  id: string;
  closes: boolean;
  /** What is added to what was paid of it, with two decimals. */
  pays: string;
  /** What is added to what is set against it, with two decimals; negative where a set-off is removed. */
  sets_off: string;
  /** Of it, what is tax that was withheld. */
  withholds: string;
  /** What is left to pay of it afterwards, with two decimals; null: it asks for no payment. */
  balance: string | null;
}

/** Closes locked documents, or changes what was paid and is left to pay of them, in one statement. */
export async function updateSources(
  trx: Transaction<IssuingTables>,
  businessId: string,
  changes: readonly SourceChange[],
): Promise<void> {
  await sql`
    update document set
      paid = paid + change.pays,
      set_off = set_off + change.sets_off,
      withheld = withheld + change.withholds,
      balance = change.balance,
      status = case when change.closes then 'closed' else status end
    from json_to_recordset(${JSON.stringify(changes)}::json)
      as change (id uuid, closes boolean, pays numeric, sets_off numeric, withholds numeric, balance numeric)
    where document.business_id = ${businessId} and document.id = change.id`.execute(trx);
}

/**
 * The locked proformas that ask for their payment again, since the last of their invoices is credited in full.
 * @param credited the invoices that are credited in full by the end of this transaction.
 */
export async function reopenedProformas(
  trx: Transaction<IssuingTables>,
  businessId: string,
  credited: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct proforma.id
    from document as proforma
    join document as invoice on invoice.business_id = ${businessId} and invoice.source_id = proforma.id
    where invoice.id = any(${credited}::uuid[])
      and proforma.business_id = ${businessId}
      and proforma.type = 'proforma' and proforma.status <> 'cancelled'
      and not exists (
        select from document as other
        where other.business_id = ${businessId} and other.source_id = proforma.id
          and other.type in ('tax_invoice', 'tax_invoice_receipt') and other.id <> all(${credited}::uuid[])
          and coalesce((
            select sum(note.total) < other.total from document as note
            where note.business_id = ${businessId} and note.source_id = other.id and note.type = 'credit_note'), true)
      )`.execute(trx);
  return rows.map(({ id }) => id);
}

/** The ids of those documents, of whatever businesses, that are in no book. */
export async function missingIds(
  all: Database<IssuingTables>,
  documents: readonly { business_id: string; document_id: string }[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select asked.document_id as id
    from json_to_recordset(${JSON.stringify(documents)}::json) as asked (business_id uuid, document_id uuid)
    where not exists (
      select from document where document.business_id = asked.business_id and document.id = asked.document_id
    )`.execute(all);
  return rows.map(({ id }) => id);
}

/**
 * Records the outcomes in the reply to an issue request, unless they are recorded already.
 * @returns the recorded outcomes, whichever request recorded them first.
 */
export async function recordReplyOutcomes(
  db: Reader,
  document: { business_id: string; id: string },
  outcomes: ReplyOutcomes,
): Promise<ReplyOutcomes> {
  const { reply_outcomes } = await db
    .updateTable('document')
    .set({
      reply_outcomes: sql`coalesce(reply_outcomes, ${JSON.stringify(outcomes)}::jsonb)`,
      allocation: sql`coalesce(allocation, ${JSON.stringify(outcomes.allocation)}::jsonb)`,
      donation: sql`coalesce(donation, ${outcomes.donation ? JSON.stringify(outcomes.donation) : null}::jsonb)`,
      // The PDF has the number from now on, so reads must return it from now on.
      allocation_number: sql`coalesce(allocation_number, ${outcomes.allocation.number}::text)`,
    })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .returning('reply_outcomes')
    .executeTakeFirstOrThrow();
  return reply_outcomes as ReplyOutcomes;
}

/**
 * Records the outcome of allocation. A late failure never removes a number that was granted.
 * @param refusal where the authority has refused the number.
 */
export async function recordAllocation(
  trx: Transaction<IssuingTables>,
  document: { business_id: string; id: string },
  outcome: AllocationOutcome,
  refusal: RefusedNumber | undefined,
): Promise<void> {
  const recorded = JSON.stringify({ ...outcome, ...(refusal && { refusal }) });
  await trx
    .updateTable('document')
    .set({ allocation: recorded, allocation_number: outcome.number })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .where(sql<boolean>`allocation is distinct from ${recorded}::jsonb`)
    .where((where) =>
      where.or([where('allocation_number', 'is', null), where('allocation_number', '=', outcome.number)]),
    )
    .execute();
}

/** Records what has become of the report of a donation. A late failure never removes a number, nor a number a cancellation. */
export async function recordDonation(
  trx: Transaction<IssuingTables>,
  document: { business_id: string; id: string },
  outcome: DonationOutcome,
): Promise<void> {
  await trx
    .updateTable('document')
    .set({ donation: JSON.stringify(outcome) })
    .where('business_id', '=', document.business_id)
    .where('id', '=', document.id)
    .where(sql<boolean>`donation is distinct from ${JSON.stringify(outcome)}::jsonb`)
    .where(sql<boolean>`(donation ->> 'number' is null or donation ->> 'number' = ${outcome.number}::text)`)
    .where(
      sql<boolean>`(donation ->> 'status' is distinct from 'cancelled' or ${outcome.status}::text = 'cancelled')`,
    )
    .execute();
}

/** Records the outcome of delivery, unless the same is recorded already. */
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
