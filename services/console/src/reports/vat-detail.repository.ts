import type { VatDetailSummary } from '@pinkas/exports';
import type { Database } from '@pinkas/service-kit';
import type { ConsoleTables } from '../db/console.tables.js';

/** The latest detailed VAT report of a range that was made, also one that has expired. */
export function latestVatDetail(
  db: Database<ConsoleTables>,
  businessId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<{ vat_detail: VatDetailSummary | null } | undefined> {
  return db
    .selectFrom('export_job')
    .select('vat_detail')
    .where('business_id', '=', businessId)
    .where('format', '=', 'pcn874')
    .where('first_date', '=', from)
    .where('last_date', '=', to)
    .where('vat_detail', 'is not', null)
    .orderBy('requested_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}
