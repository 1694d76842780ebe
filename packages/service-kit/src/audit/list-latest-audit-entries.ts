import type { auditContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../db/tenant-scope.js';
import { forTenant } from '../db/tenant-scope.js';
import { InjectDatabase } from '../process/tokens.js';
import { Operation } from '../rpc/operation.js';
import { entriesBefore } from './audit.repository.js';
import type { AuditTables } from './audit.tables.js';

type ListContract = ReturnType<typeof auditContracts>['listLatestAuditEntries'];

/** The operation of one service that reads the latest entries of the trail of a business. */
export function listLatestAuditEntries(contract: ListContract) {
  @Operation(contract)
  class ListLatestAuditEntries {
    constructor(@InjectDatabase() readonly db: Database<AuditTables>) {}

    async handle({ business_id, before, limit }: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      const rows = await entriesBefore(forTenant(this.db, business_id), business_id, before, limit);
      return {
        entries: rows.map((row) => ({ ...row, at: row.at.toISOString(), hash: row.hash.toString('hex') })),
      };
    }
  }
  return ListLatestAuditEntries;
}
