import { Controller } from '@nestjs/common';
import {
  auditAllocations,
  listDeadLetteredAllocations,
  listUnresolvedAllocations,
  type ReplyOf,
  type RequestOf,
  showAllocation,
} from '@pinkas/contracts';
import { acrossTenants, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { attemptsOf, findByDocument, findByDocuments } from '../attempt/allocation.repository.js';
import { deadLetteredAllocations, unresolvedAllocations } from '../attempt/allocation-list.repository.js';
import { decisionsOf, lastDecisions, toDecision } from '../attempt/decision.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { toAllocation, toAttempt } from './allocation-view.js';

const pageMax = 200;

/** What became of the numbers and reports that documents require. */
@Controller()
export class AllocationOperations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  /** The allocation of one document, with its attempts. */
  @Operation(showAllocation)
  async show({
    business_id,
    document_id,
    after_attempt: after = 0,
  }: RequestOf<typeof showAllocation>): Promise<ReplyOf<typeof showAllocation>> {
    // One snapshot: the state is that of the last attempt.
    return forTenant(this.db, business_id)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const row = await findByDocument(trx, document_id);
        const attempts = await attemptsOf(trx, { business_id, document_id }, after, pageMax + 1);
        const page = attempts.slice(0, pageMax).map(toAttempt);
        const decisions = await decisionsOf(trx, { business_id, document_id });
        return {
          allocation: row ? toAllocation(row, decisions.at(-1)) : null,
          attempts: page,
          next_after_attempt: attempts.length > pageMax ? (page.at(-1)?.n ?? null) : null,
          ...(decisions.length > 0 && { decisions: decisions.map(toDecision) }),
        };
      });
  }

  /** The documents of a business whose number needs a person, page by page. */
  @Operation(listUnresolvedAllocations)
  async listUnresolved({
    business_id: businessId,
    before,
    limit,
  }: RequestOf<typeof listUnresolvedAllocations>): Promise<ReplyOf<typeof listUnresolvedAllocations>> {
    const position = before && { ...before, decided_at: new Date(before.decided_at) };
    const db = forTenant(this.db, businessId);
    const found = await unresolvedAllocations(db, 'number', businessId, position, limit + 1);
    const page = found.slice(0, limit);
    const decisions = await lastDecisions(db, page);
    const allocations = page.map((row) => toAllocation(row, decisions.get(row.document_id)));
    const last = found.length > limit ? allocations.at(-1) : undefined;
    return {
      allocations,
      next_before: last ? { decided_at: last.decided_at, document_id: last.document_id } : null,
    };
  }

  /** The dead-lettered documents, page by page. */
  @Operation(listDeadLetteredAllocations)
  async listDeadLettered({
    document_id,
    after,
    limit,
  }: RequestOf<typeof listDeadLetteredAllocations>): Promise<ReplyOf<typeof listDeadLetteredAllocations>> {
    const from = after && { decided_at: new Date(after.decided_at), document_id: after.document_id };
    const found = await deadLetteredAllocations(acrossTenants(this.db), document_id, from, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      documents: page.map((row) => ({
        document_id: row.document_id,
        business_id: row.business_id,
        kind: row.kind,
        reason: row.reason ?? 'No reason was recorded.',
        attempts: row.attempts,
        dead_lettered_at: (row.dead_lettered_at ?? row.decided_at).toISOString(),
      })),
      next_after: last ? { decided_at: last.decided_at.toISOString(), document_id: last.document_id } : null,
    };
  }

  /** Lists the allocation state of documents of one business. */
  @Operation(auditAllocations)
  async audit({
    business_id,
    document_ids: ids,
  }: RequestOf<typeof auditAllocations>): Promise<ReplyOf<typeof auditAllocations>> {
    const rows = await findByDocuments(forTenant(this.db, business_id), business_id, ids);
    const byId = new Map(rows.map((row) => [row.document_id, row]));
    return {
      documents: ids.map((id) => {
        const row = byId.get(id.toLowerCase());
        return {
          document_id: id,
          state: row?.state ?? null,
          ...(row && { kind: row.kind }),
          ...(row?.cancel_requested_at && { cancelled: true }),
          number: row?.number ?? null,
          next_attempt_at: row?.next_attempt_at?.toISOString() ?? null,
          settled_at: row?.settled_at?.toISOString() ?? null,
        };
      }),
    };
  }
}
