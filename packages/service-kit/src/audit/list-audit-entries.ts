import type { auditContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../db/tenant-scope.js';
import { forTenant } from '../db/tenant-scope.js';
import { InjectDatabase } from '../process/tokens.js';
import { Operation } from '../rpc/operation.js';
import { entriesAfter, headOf } from './audit.repository.js';
import type { AuditTables } from './audit.tables.js';
import { hashOfEntry } from './hash-of-entry.js';

type ListContract = ReturnType<typeof auditContracts>['listAuditEntries'];

/** The operation of one service that reads the trail of a business and checks its chain. */
export function listAuditEntries(contract: ListContract) {
  @Operation(contract)
  class ListAuditEntries {
    constructor(@InjectDatabase() readonly db: Database<AuditTables>) {}

    async handle({ business_id, after, limit }: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      const db = forTenant(this.db, business_id);
      // Before the entries, so that they reach at least as far.
      const head = await headOf(db, business_id);
      const rows = await entriesAfter(db, business_id, after?.n ?? 0, limit + 1);
      let last: { n: number; hash: Buffer } | null = after && {
        n: after.n,
        hash: Buffer.from(after.hash, 'hex'),
      };
      const entries = rows.slice(0, limit).map((row) => {
        const expected = (last?.n ?? 0) + 1;
        const findings = [
          ...(row.n === expected ? [] : [`before it entry ${expected} is missing`]),
          ...(hashOfEntry(row, last?.hash ?? null).equals(row.hash)
            ? []
            : ['it, or the entry before it, is not what was recorded']),
        ];
        last = { n: row.n, hash: row.hash };
        return {
          ...row,
          at: row.at.toISOString(),
          hash: row.hash.toString('hex'),
          finding: findings.length === 0 ? null : findings.join('; '),
        };
      });
      return {
        entries,
        head,
        next_after: rows.length > limit && last ? { n: last.n, hash: last.hash.toString('hex') } : null,
      };
    }
  }
  return ListAuditEntries;
}
