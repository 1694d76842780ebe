import type { auditContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../db/tenant-scope.js';
import { forTenant } from '../db/tenant-scope.js';
import { InjectDatabase } from '../process/tokens.js';
import { Operation } from '../rpc/operation.js';
import { entriesBetween, rangeOf } from './audit.repository.js';
import type { AuditTables } from './audit.tables.js';

type ListContract = ReturnType<typeof auditContracts>['listLatestAuditEntries'];

/** The operation of one service that reads the latest entries of the trail of a business. */
export function listLatestAuditEntries(contract: ListContract) {
  @Operation(contract)
  class ListLatestAuditEntries {
    constructor(@InjectDatabase() readonly db: Database<AuditTables>) {}

    async handle({
      business_id,
      before,
      limit,
      ...filter
    }: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      const db = forTenant(this.db, business_id);
      const { range, start } = await rangeOf(db, business_id, before, filter);
      const rows = await entriesBetween(db, business_id, range, filter, limit + 1);
      const entries = rows.slice(0, limit);
      // Behind the last entry, or behind the last that was checked.
      const next = rows.length > limit ? entries.at(-1)?.n : range.first;
      const isMore = rows.length > limit || range.first > start;
      return {
        entries: entries.map((row) => ({ ...row, at: row.at.toISOString(), hash: row.hash.toString('hex') })),
        next_before: isMore ? (next ?? null) : null,
      };
    }
  }
  return ListLatestAuditEntries;
}
