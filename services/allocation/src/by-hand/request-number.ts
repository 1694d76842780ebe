import { Controller } from '@nestjs/common';
import {
  type ReplyOf,
  type RequestOf,
  type RequestRefusal,
  requestAllocationNumber,
} from '@pinkas/contracts';
import { dayInIsrael, whyNoNumber } from '@pinkas/domain';
import {
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import {
  type AllocationRow,
  findByDocument,
  insertAllocation,
  lockAllocation,
} from '../attempt/allocation.repository.js';
import { ImmediateAttempt } from '../attempt/immediate-attempt.js';
import type { AllocationTables } from '../db/allocation.tables.js';

type Request = RequestOf<typeof requestAllocationNumber>;
type Reply = ReplyOf<typeof requestAllocationNumber>;

/** Requests the number of a document that needs none, for a person: of any amount and any buyer. */
@Controller()
export class RequestNumber {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly attempt: ImmediateAttempt,
  ) {}

  @Operation(requestAllocationNumber)
  async handle(request: Request): Promise<Reply> {
    const { document } = request;
    const refusal = this.#refusal(request, await this.#find(request));
    if (refusal !== null) {
      return reply(request, await this.#find(request), refusal);
    }
    await this.#record(request);
    const key = { business_id: document.business_id, document_id: document.id };
    await this.attempt.make(key);
    return reply(request, await this.#find(request), null);
  }

  #find({ document }: Request): Promise<AllocationRow | undefined> {
    return findByDocument(forTenant(this.db, document.business_id), document.id);
  }

  #refusal({ document, business }: Request, row: AllocationRow | undefined): RequestRefusal | null {
    if (row?.state === 'issued') {
      return 'has_number';
    }
    if (row?.state === 'refused') {
      return 'refused';
    }
    const why = whyNoNumber(document, business, dayInIsrael(this.clock.now()));
    if (why !== null) {
      return why;
    }
    return business.tax_authority_connected ? null : 'not_connected';
  }

  /** From the commit on it is due, whatever becomes of this process. */
  async #record({ person_id, ...facts }: Request): Promise<void> {
    const { business_id, id: subject } = facts.document;
    await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const known = await lockAllocation(trx, { business_id, document_id: subject });
        await insertAllocation(trx, 'number', facts, this.clock.now());
        const actor = actorOf(person_id);
        const before = { state: known?.state ?? null };
        await appendTrail(trx, {
          business_id,
          action: 'allocation.request',
          subject,
          actor,
          before,
          after: null,
        });
      });
  }
}

function reply({ document }: Request, row: AllocationRow | undefined, refusal: RequestRefusal | null): Reply {
  return {
    business_id: document.business_id,
    document_id: document.id,
    number: row?.number ?? null,
    refusal,
    reason: row?.reason ?? null,
    next_attempt_at: row?.next_attempt_at?.toISOString() ?? null,
  };
}
