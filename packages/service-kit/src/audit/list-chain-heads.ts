import type { auditContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database } from '../db/tenant-scope.js';
import { InjectDatabase } from '../process/tokens.js';
import { Operation } from '../rpc/operation.js';
import { headsAfter } from './audit.repository.js';
import type { AuditTables } from './audit.tables.js';

type ListContract = ReturnType<typeof auditContracts>['listChainHeads'];

/** The operation of one service that lists the ends of its trails. */
export function listChainHeads(contract: ListContract) {
  @Operation(contract)
  class ListChainHeads {
    constructor(@InjectDatabase() readonly db: Database<AuditTables>) {}

    async handle({ after, limit }: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      const found = await headsAfter(acrossTenants(this.db), after, limit + 1);
      const heads = found.slice(0, limit);
      return { heads, next_after: found.length > limit ? (heads.at(-1)?.business_id ?? null) : null };
    }
  }
  return ListChainHeads;
}
