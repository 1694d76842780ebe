import { Controller } from '@nestjs/common';
import {
  allocationSettled,
  type EntryRefusal,
  enterAllocationNumber,
  type ReplyOf,
  type RequestOf,
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
  OutboxRelay,
  type OutboxTransaction,
  publish,
  violatedConstraint,
} from '@pinkas/service-kit';
import {
  findByDocument,
  findByNumber,
  insertAllocation,
  lockAllocation,
} from '../attempt/allocation.repository.js';
import { findNumberOfBusiness, storeEntered } from '../attempt/entered-number.repository.js';
import { readLookUpAnswer } from '../authority/approval-answer.js';
import type { AllocationTables } from '../db/allocation.tables.js';

type Request = RequestOf<typeof enterAllocationNumber>;
type Reply = ReplyOf<typeof enterAllocationNumber>;

/** Takes a number that a person got elsewhere; attempts to obtain one end with it. */
@Controller()
export class EnterNumber {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly relay: OutboxRelay,
  ) {}

  @Operation(enterAllocationNumber)
  async handle(request: Request): Promise<Reply> {
    const { document, business, entered } = request;
    const why = whyNoNumber(document, business, dayInIsrael(this.clock.now()));
    if (why !== null) {
      return reply(request, why);
    }
    // The rightmost nine digits of the authority's number are what is printed.
    if (!/^\d{9}$/.test(entered) || /^0+$/.test(entered)) {
      return reply(request, 'form');
    }
    try {
      const db = forTenant(this.db, document.business_id);
      return await this.relay.transaction(db, (trx) => this.#enter(trx, request));
    } catch (error) {
      // The same number was typed in for another document at the same moment.
      if (violatedConstraint(error) === 'allocation_confirmation_number_key') {
        return reply(request, 'of_other');
      }
      throw error;
    }
  }

  async #enter(trx: OutboxTransaction<AllocationTables>, request: Request): Promise<Reply> {
    const { person_id, entered: number, ...facts } = request;
    const { document } = facts;
    const now = this.clock.now();
    const key = { business_id: document.business_id, document_id: document.id };
    const other = await findNumberOfBusiness(trx, key, number);
    const granted = await this.#rejectedGrant(trx, key, number);
    if (other && granted === null) {
      const { id: document_id, number: document_number } = other.facts.document;
      return { ...reply(request, 'of_other'), other: { document_id, document_number } };
    }
    const isNew = await insertAllocation(trx, 'number', facts, now);
    const current = await lockAllocation(trx, key);
    if (!current) {
      throw new Error('the allocation is not stored');
    }
    if (current.number !== null) {
      return reply(request, current.number === number ? null : 'has_number', current.number);
    }
    const actor = actorOf(person_id);
    await storeEntered(trx, current, { number, granted, actor, now });
    await appendTrail(trx, {
      business_id: current.business_id,
      action: 'allocation.enter',
      subject: current.document_id,
      actor,
      before: { state: isNew ? null : current.state },
      after: { number },
    });
    await publish(trx, allocationSettled, current.document_id, {
      ...current.facts,
      allocation: { status: 'issued', number, reason: null },
      pending: false,
    });
    return reply(request, null, number);
  }

  /** All digits of a number that the authority gave this document and that was rejected, since it had been typed in for another. */
  async #rejectedGrant(
    trx: OutboxTransaction<AllocationTables>,
    key: { business_id: string; document_id: string },
    number: string,
  ): Promise<string | null> {
    const row = await findByDocument(trx, key.document_id);
    const given = row?.state === 'dead_lettered' ? readLookUpAnswer(row.answer ?? '') : undefined;
    const isFree = given && !(await findByNumber(trx, given.confirmationNumber));
    return isFree && given.number === number ? given.confirmationNumber : null;
  }
}

const reply = (
  { document: { business_id, id: document_id } }: Request,
  refusal: EntryRefusal | null,
  number: string | null = null,
): Reply => ({ business_id, document_id, number, refusal });
