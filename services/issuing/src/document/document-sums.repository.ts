import { documentTypes } from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { DocumentRow } from './document.repository.js';
import type { DocumentSumTable, IssuingTables } from './document.tables.js';

/** The sums of the documents of a range of dates, of each type that has one; amounts with two decimals, as text. */
export async function sumsByType(
  db: Database<IssuingTables>,
  businessId: string,
  { from, to }: { from: string; to: string },
): Promise<Omit<Selectable<DocumentSumTable>, 'business_id' | 'dated_on'>[]> {
  const { rows } = await sql<Selectable<DocumentSumTable>>`
    select type, sum(documents) as documents, sum(cancelled) as cancelled, sum(net) as net, sum(vat) as vat,
      sum(total) as total
    from document_sum
    where business_id = ${businessId} and type = any(${documentTypes}::text[]) and dated_on between ${from} and ${to}
    group by type`.execute(db);
  return rows;
}

/**
 * Takes a document that was cancelled out of the sums of its date. It must be the last lock of the transaction: `insertIssued` takes
 * it last as well, and nothing is waited for while it is held.
 */
export async function subtractCancelled(
  trx: Transaction<IssuingTables>,
  { business_id, type, dated_on, subtotal, discount, vat, total }: DocumentRow,
): Promise<void> {
  await sql`
    update document_sum set documents = documents - 1, cancelled = cancelled + 1,
      net = net - (${subtotal}::numeric - ${discount}::numeric), vat = vat - ${vat}, total = total - ${total}
    where business_id = ${business_id} and type = ${type} and dated_on = ${dated_on}`.execute(trx);
}
