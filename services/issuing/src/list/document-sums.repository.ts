import { type DocumentType, documentTypes } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';

/** What the documents of a type amount to; amounts with two decimals, as text. */
interface TypeSums {
  type: DocumentType;
  /** Without the cancelled ones, which no amount includes. */
  documents: number;
  cancelled: number;
  net: string;
  vat: string;
  total: string;
}

/** The sums of the documents of a range of dates, of each type that has one. An index has the dates of each type. */
export async function sumsByType(
  db: Database<IssuingTables>,
  businessId: string,
  { from, to }: { from: string; to: string },
): Promise<TypeSums[]> {
  const { rows } = await sql<TypeSums>`
    select type, count(*) filter (where status <> 'cancelled') as documents,
      count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(subtotal - discount) filter (where status <> 'cancelled'), 0) as net,
      coalesce(sum(vat) filter (where status <> 'cancelled'), 0) as vat,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as total
    from document
    where business_id = ${businessId} and type = any(${documentTypes}::text[]) and dated_on between ${from} and ${to}
    group by type`.execute(db);
  return rows;
}
