import { type ReplyOf, type RequestOf, retryAllocation } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendAudit,
  type Clock,
  continuedContext,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  remainingMs,
  SpanKind,
  Tracing,
} from '@pinkas/service-kit';
import {
  type AllocationRow,
  type ClaimedRow,
  claimDocument,
  findByDocument,
} from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { AllocationRequester } from './allocation-requester.js';

/** How long it waits for an attempt in flight. */
const waitMaxMs = 10_000;
const checkAgainMs = 100;

type Reply = ReplyOf<typeof retryAllocation>;

type Request = RequestOf<typeof retryAllocation>;

/** Requests a document's number now, for an operator or an owner. */
@Operation(retryAllocation)
export class RetryAllocation {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly requester: AllocationRequester,
    private readonly tracing: Tracing,
  ) {}

  async handle(request: Request): Promise<Reply> {
    const claimed = await this.#claim(request);
    if ('outcome' in claimed) {
      return claimed;
    }
    await this.#request(claimed);
    return afterwards(await this.#find(request));
  }

  /** The attempt belongs to the trace of the document, not of the caller. */
  #request(row: ClaimedRow): Promise<void> {
    const { business_id, document_id, trace } = row;
    const described = { kind: SpanKind.INTERNAL, logContext: { business_id, document_id } };
    const context = continuedContext(remainingMs(retryAllocation.timeoutMs));
    return this.tracing.startEntrySpan(context, trace, 'retry-allocation', described, () =>
      this.requester.request(row),
    );
  }

  async #find({ document_id: id, business_id: businessId }: Request): Promise<AllocationRow> {
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const row = await findByDocument(visible, id);
    if (!row) {
      throw new ApiError('not_found');
    }
    return row;
  }

  /** Claims the document once no other attempt is in flight. */
  async #claim(request: Request): Promise<ClaimedRow | Reply> {
    const endMs = performance.now() + remainingMs(waitMaxMs);
    for (;;) {
      const row = await this.#find(request);
      const why = notRetryable(row);
      if (why !== null) {
        return reply(row, 'not_retryable', why);
      }
      const now = this.clock.now();
      const until = new Date(now.getTime() + this.requester.claimMs);
      const claimed = await forTenant(this.db, row.business_id)
        .transaction()
        .execute(async (trx) => {
          const taken = await claimDocument(trx, row, now, until);
          if (taken) {
            await appendAudit(trx, {
              business_id: row.business_id,
              action: 'allocation.retry',
              subject: row.document_id,
              actor: actorOf(request.person_id),
              before: { state: row.state },
              after: null,
            });
          }
          return taken;
        });
      if (claimed) {
        return claimed;
      }
      if (performance.now() > endMs) {
        return reply(row, 'failed', 'Another attempt is in flight; check again in a minute.');
      }
      await new Promise((resolve) => setTimeout(resolve, checkAgainMs));
    }
  }
}

/** Why there is nothing to request, or null. */
function notRetryable(row: AllocationRow): string | null {
  return row.state === 'issued' ? 'The document has its number already.' : null;
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
