import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, retryAllocation } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendTrail,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { type AllocationRow, findByDocument } from '../attempt/allocation.repository.js';
import { ImmediateAttempt } from '../attempt/immediate-attempt.js';
import type { AllocationTables } from '../db/allocation.tables.js';

type Reply = ReplyOf<typeof retryAllocation>;

type Request = RequestOf<typeof retryAllocation>;

/** Requests a document's number, or reports its donation, now, for an operator or an owner. */
@Controller()
export class RetryAllocation {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    private readonly attempt: ImmediateAttempt,
  ) {}

  @Operation(retryAllocation)
  async handle(request: Request): Promise<Reply> {
    const row = await this.#find(request);
    const why = notRetryable(row);
    if (why !== null) {
      return reply(row, 'not_retryable', why);
    }
    const wasMade = await this.attempt.make(row, (trx) =>
      appendTrail(trx, {
        business_id: row.business_id,
        action: row.kind === 'donation' ? 'donation.retry' : 'allocation.retry',
        subject: row.document_id,
        actor: actorOf(request.person_id),
        before: { state: row.state },
        after: null,
      }),
    );
    const after = await this.#find(request);
    if (wasMade) {
      return afterwards(after);
    }
    // An attempt in flight may have brought the number, or be in flight still.
    const done = notRetryable(after);
    return done === null
      ? reply(after, 'failed', 'An attempt is in flight; check again in a minute.')
      : reply(after, 'not_retryable', done);
  }

  async #find({ document_id: id, business_id: businessId }: Request): Promise<AllocationRow> {
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const row = await findByDocument(visible, id);
    if (!row) {
      throw new ApiError('not_found');
    }
    return row;
  }
}

/** Why there is nothing to request, or null. */
function notRetryable(row: AllocationRow): string | null {
  if (row.is_final) {
    return row.reason;
  }
  if (row.state !== 'issued') {
    return null;
  }
  return row.cancel_requested_at === null
    ? 'The document has its number already.'
    : 'The report of the donation is cancelled.';
}

/** The reply after the attempt. */
function afterwards(row: AllocationRow): Reply {
  switch (row.state) {
    case 'issued':
      return reply(row, 'issued', null);
    case 'refused':
      return reply(row, 'refused', row.reason);
    default:
      return reply(
        row,
        'failed',
        row.reason ?? 'The outcome of the attempt could not be stored; it is repeated.',
      );
  }
}

function reply(row: AllocationRow, outcome: Reply['outcome'], reason: string | null): Reply {
  return {
    business_id: row.business_id,
    document_id: row.document_id,
    outcome,
    number: row.number,
    refusal_codes: outcome === 'refused' ? (row.refusal_codes ?? []) : [],
    reason,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  };
}
