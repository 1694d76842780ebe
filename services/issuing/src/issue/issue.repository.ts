import type { Business } from '@pinkas/contracts';
import { type DocumentType, settlesSource } from '@pinkas/domain';
import {
  type Database,
  type OutboxEvent,
  type OutboxTransaction,
  outboxRows,
  type Transaction,
} from '@pinkas/service-kit';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { addToDebtSums, type DebtChange, debtChanges, debtOfDocument } from '../document/debt-sums.js';
import type { NewDocumentRow, Reader } from '../document/document.repository.js';
import type { IssuingTables, SeriesTable } from '../document/document.tables.js';
import { isDocumentEvent, numberEvents, numberedBody } from '../document/document-events.js';

/** A series, with what else decides whether its next number may be used. */
export interface SeriesState extends Selectable<SeriesTable> {
  /** How many documents each API key has issued on the day, by its id; absent: none. */
  issuedToday: ReadonlyMap<string, number>;
}

/** A locked series. */
export interface LockedSeries extends SeriesState {
  /** The ids of the documents that the idempotency keys have issued, by key. */
  issuedIds: ReadonlyMap<string, string>;
}

type NewSeries = Pick<Selectable<SeriesTable>, 'business_id' | 'type' | 'first_number'>;

/** The series of a type, which may have no document yet. */
export const seriesOf = ({ id, first_numbers }: Business, type: DocumentType): NewSeries => ({
  business_id: id,
  type,
  first_number: first_numbers[type] ?? 1,
});

/** What is read with a series. */
interface SeriesReads {
  idempotency_keys: readonly string[];
  key_ids: readonly string[];
  day: string;
}

/**
 * Locks a series until the transaction ends, and reads with it the documents of the idempotency keys and the API keys' counts of
 * the day. The series row is inserted where this is the first document of the series.
 *
 * The idempotency keys must be locked already: their documents are then final, however long the series' lock takes. The counts
 * may still grow; `insertIssued` checks them again.
 */
export async function lockSeries(
  trx: Transaction<IssuingTables>,
  series: NewSeries,
  reads: SeriesReads,
): Promise<LockedSeries> {
  const found = await selectForUpdate(trx, series, reads);
  if (found) {
    return found;
  }
  await trx
    .insertInto('series')
    .values(unusedSeries(series))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const inserted = await selectForUpdate(trx, series, reads);
  if (!inserted) {
    throw new Error('series row not found after its insert');
  }
  return inserted;
}

/** A series as it is now, which may change at once; one without a document as it would begin. */
export async function readSeries(
  db: Database<IssuingTables>,
  series: NewSeries,
  reads: Omit<SeriesReads, 'idempotency_keys'>,
): Promise<SeriesState> {
  const found = await seriesQuery(db, series, { ...reads, idempotency_keys: [] }).executeTakeFirst();
  return found ? toSeries(found) : { ...unusedSeries(series), issuedToday: new Map() };
}

/** The row of a series without a document. */
function unusedSeries({ business_id, type, first_number }: NewSeries): Selectable<SeriesTable> {
  return {
    business_id,
    type,
    first_number,
    next_number: first_number,
    last_date: null,
    last_issued_at: null,
    last_hash: null,
  };
}

async function selectForUpdate(
  trx: Transaction<IssuingTables>,
  series: NewSeries,
  reads: SeriesReads,
): Promise<LockedSeries | undefined> {
  const found = await seriesQuery(trx, series, reads).forUpdate('series').executeTakeFirst();
  return found && toSeries(found);
}

type SeriesRow = Selectable<SeriesTable> & {
  issued_ids: Record<string, string>;
  issued_today: Record<string, number>;
};

function toSeries({ issued_ids, issued_today, ...columns }: SeriesRow): LockedSeries {
  return {
    ...columns,
    issuedIds: new Map(Object.entries(issued_ids)),
    issuedToday: new Map(Object.entries(issued_today)),
  };
}

function seriesQuery(db: Reader, series: NewSeries, { idempotency_keys, key_ids, day }: SeriesReads) {
  return db
    .selectFrom('series')
    .select([
      'series.business_id',
      'series.type',
      'series.first_number',
      'series.next_number',
      'series.last_date',
      'series.last_issued_at',
      'series.last_hash',
      sql<Record<string, string>>`(
        select coalesce(json_object_agg(idempotency_key, id), '{}') from document
        where business_id = series.business_id and idempotency_key = any(${idempotency_keys}::text[])
      )`.as('issued_ids'),
      sql<Record<string, number>>`(
        select coalesce(json_object_agg(key_id, documents), '{}') from daily_count
        where business_id = series.business_id and key_id = any(${key_ids}::uuid[]) and counted_on = ${day}
      )`.as('issued_today'),
    ])
    .where('series.business_id', '=', series.business_id)
    .where('series.type', '=', series.type);
}

/** A document with its hash. */
export type HashedDocumentRow = NewDocumentRow & { hash: Buffer };

/**
 * Enters documents in the book by one statement of these parts. Each reads one before it, so that the sums are locked after the book:
 *
 * 1. `counted`: the documents are counted for the day of their API keys;
 * 2. `positioned`: they take the next positions of the book, and events for callers the next numbers, unless a count is full;
 * 3. `inserted`: the documents;
 * 4. `summed`, `accounted`, `received`: the sums of their dates, of their customers and of their payments;
 * 5. `indebted`: the sums of debts, where they change any;
 * 6. `published`: their events, into the outbox;
 * 7. `advanced`: their series.
 *
 * It must be the last statement: the book is locked until the transaction ends, and the business issues nothing else until then.
 * @param documents of one series, with consecutive numbers.
 * @param debts what the documents add to the debts by changing the balances of others.
 * @param daily the day, and how many documents each API key may issue on it, by its id.
 * @returns their positions by id, or null when the count of a key is full; the transaction must be rolled back then.
 */
export async function insertIssued(
  trx: OutboxTransaction<IssuingTables>,
  documents: readonly [HashedDocumentRow, ...HashedDocumentRow[]],
  { events, debts }: { events: readonly OutboxEvent[]; debts: readonly DebtChange[] },
  daily: { day: string; limits: Readonly<Record<string, number>> },
): Promise<Map<string, number> | null> {
  const numbered = events.filter(isDocumentEvent);
  numberEvents(numbered, 0);
  const { business_id, type } = documents[0];
  const last = documents.at(-1) ?? documents[0];
  const columns = columnsOf(documents[0]);
  const counts = Object.keys(daily.limits)
    // Transactions that count for the same keys lock them in one order.
    .sort()
    .map((id) => ({ key_id: id, documents: documents.filter(({ key_id }) => key_id === id).length }));
  // One text, or two, for any documents: it is prepared once on a connection, and planning it costs as much as executing it.
  const { rows } = await sql<{ id: string; position: number; last_event: number }>`
    /* prepare */ with counted as (
      insert into daily_count (business_id, key_id, counted_on, documents)
      select ${business_id}::uuid, key_id, ${daily.day}::date, documents
        from json_to_recordset(${JSON.stringify(counts)}::json) as key (key_id uuid, documents integer)
      on conflict (business_id, key_id, counted_on) do update
        set documents = daily_count.documents + excluded.documents
        where daily_count.documents + excluded.documents
          <= (${JSON.stringify(daily.limits)}::json ->> daily_count.key_id::text)::integer
      returning key_id
    ),
    positioned as (
      insert into book (business_id, last_position, last_event)
      select ${business_id}::uuid, ${documents.length}::bigint, ${numbered.length}::bigint
        where (select count(*) from counted) = ${counts.length}::bigint
      on conflict (business_id) do update
        set last_position = book.last_position + excluded.last_position, last_event = book.last_event + excluded.last_event
      returning last_position, last_event - ${numbered.length}::bigint as last_event
    ),
    inserted as (
      insert into document (${columns}, position)
      select ${columns}, last_position - ${last.number}::bigint + number
        from json_populate_recordset(null::document, ${rowsAsJson(documents)}::json), positioned
      returning id, document.position, dated_on, vat_rate, subtotal - discount as net, vat, total, payments,
        account_id, date_trunc('month', dated_on::timestamp)::date as month,
        business_id, document.type, due_on, balance, paid, set_off, withheld
    ),
    ${addToSums(business_id, type)} ${addToDebts(documents, debts)}
    published as (
      insert into outbox (id, subject, body, request_id, trace)
      select event.id, subject, ${numberedBody}, request_id, trace from ${outboxRows(trx, events)}, positioned
    ),
    advanced as (
      update series
        set next_number = ${last.number}::bigint + 1, last_date = ${last.dated_on}::date,
          last_issued_at = ${last.issued_at}::timestamptz, last_hash = ${last.hash}::bytea
        from positioned
        where series.business_id = ${business_id}::uuid and series.type = ${type}::text
    )
    select id, position, last_event from inserted, positioned`.execute(trx);
  // What is sent after the commit is what the table has.
  numberEvents(numbered, rows[0]?.last_event ?? 0);
  return rows.length === 0 ? null : new Map(rows.map(({ id, position }) => [id, position]));
}

/** The parts of the statement that add what was inserted to the sums of its dates, of its customers and of its payments. */
const addToSums = (business_id: string, type: DocumentType): RawBuilder<unknown> => sql`
    summed as (
      insert into document_sum (business_id, type, dated_on, vat_rate, documents, cancelled, net, vat, total)
      select ${business_id}::uuid, ${type}::text, dated_on, vat_rate, count(*), 0, sum(net), sum(vat), sum(total)
        from inserted group by dated_on, vat_rate order by dated_on, vat_rate
      on conflict (business_id, type, dated_on, vat_rate) do update
        set documents = document_sum.documents + excluded.documents, net = document_sum.net + excluded.net,
          vat = document_sum.vat + excluded.vat, total = document_sum.total + excluded.total
    ),
    accounted as (
      insert into account_sum (business_id, type, month, account_id, documents, net, total)
      select ${business_id}::uuid, ${type}::text, month, account_id, count(*), sum(net), sum(total)
        from inserted where ${type}::text in ('tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note')
        group by month, account_id order by month, account_id
      on conflict (business_id, type, month, account_id) do update
        set documents = account_sum.documents + excluded.documents, net = account_sum.net + excluded.net,
          total = account_sum.total + excluded.total
    ),
    received as (
      insert into payment_sum (business_id, type, dated_on, method, documents, payments, amount)
      select ${business_id}::uuid, ${type}::text, dated_on, payment ->> 'method', count(distinct id), count(*),
          sum((payment ->> 'amount')::numeric)
        from inserted, jsonb_array_elements(payments) as payment group by 3, 4 order by 3, 4
      on conflict (business_id, type, dated_on, method) do update
        set documents = payment_sum.documents + excluded.documents, payments = payment_sum.payments + excluded.payments,
          amount = payment_sum.amount + excluded.amount
    ),`;

/** The part that adds to the debts. What asks for no payment and settles nothing costs nothing here. */
function addToDebts(
  documents: readonly HashedDocumentRow[],
  debts: readonly DebtChange[],
): RawBuilder<unknown> {
  if (debts.length === 0 && documents.every((row) => row.balance === null && !settlesSource(row.type))) {
    return sql``;
  }
  return sql`
    indebted as (${addToDebtSums(sql`
      ${debtChanges(debts)} union all select ${debtOfDocument} from inserted as document`)}
    ),`;
}

let columnNames: RawBuilder<unknown> | undefined;

/** The columns of a new row, which every row has. */
function columnsOf(row: HashedDocumentRow): RawBuilder<unknown> {
  columnNames ??= sql.join(Object.keys(row).map((column) => sql.ref(column)));
  return columnNames;
}

/** JSON has no bytes: PostgreSQL reads them from a text. */
function rowsAsJson(rows: readonly HashedDocumentRow[]): string {
  return JSON.stringify(
    rows.map((row) => ({ ...row, body_sha256: hexadecimal(row.body_sha256), hash: hexadecimal(row.hash) })),
  );
}

const hexadecimal = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
