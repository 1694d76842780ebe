import { Controller } from '@nestjs/common';
import {
  decideRefusal as contract,
  type DecideRefusal as Refusal,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { openDecisions } from '@pinkas/domain';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Jobs,
  Operation,
  type Transaction,
} from '@pinkas/service-kit';
import { type AllocationRow, findByDocument, lockAllocation } from '../attempt/allocation.repository.js';
import { decisionJob, decisionsOf, insertDecision, toDecision } from '../attempt/decision.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';

type Request = RequestOf<typeof contract>;

/** Records the decision of an owner about a refused number, and sends it to the authority. */
@Controller()
export class DecideRefusal {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  @Operation(contract)
  async handle(request: Request): Promise<ReplyOf<typeof contract>> {
    const row = await this.#find(request);
    const db = forTenant(this.db, row.business_id);
    const refusal = await db.transaction().execute((trx) => this.#record(trx, row, request));
    if (refusal === null) {
      await this.jobs.runNow(decisionJob, { business_id: row.business_id, id: row.document_id });
    }
    const last = (await decisionsOf(db, row)).at(-1);
    return {
      business_id: row.business_id,
      document_id: row.document_id,
      refusal,
      last: last ? toDecision(last) : null,
    };
  }

  async #find({ document_id: id, business_id: businessId }: Request): Promise<AllocationRow> {
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const row = await findByDocument(visible, id);
    if (row?.kind !== 'number') {
      throw new ApiError('not_found');
    }
    return row;
  }

  /** @returns why nothing is to be sent; null: the decision is recorded, now or before. */
  async #record(
    trx: Transaction<AllocationTables>,
    row: AllocationRow,
    { decision, person_id }: Request,
  ): Promise<Refusal | null> {
    const locked = await lockAllocation(trx, row);
    const last = (await decisionsOf(trx, row)).at(-1) ?? null;
    if (locked?.state !== 'refused' || locked.is_final) {
      return 'not_refused';
    }
    if (last?.decision === decision && last.state !== 'failed') {
      return null;
    }
    // A credit note is not credited.
    if (decision === 'reverse_charge' || (decision === 'cancel' && isCreditNote(row))) {
      return 'not_offered';
    }
    if (!openDecisions(last).includes(decision)) {
      return 'decided';
    }
    const actor = actorOf(person_id);
    const n = (last?.n ?? 0) + 1;
    await insertDecision(trx, row, { n, decision, actor, now: this.clock.now() });
    await appendTrail(trx, {
      business_id: row.business_id,
      action: 'allocation.decide',
      subject: row.document_id,
      actor,
      before: { state: locked.state, decision: last?.decision ?? null },
      after: { decision, n },
    });
    return null;
  }
}

const isCreditNote = ({ facts }: AllocationRow): boolean => facts.document.type === 'credit_note';
