import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import {
  type Clock,
  continuedContext,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  remainingMs,
  SpanKind,
  Tracing,
  type Transaction,
} from '@pinkas/service-kit';
import type { AllocationTables } from '../db/allocation.tables.js';
import {
  type AllocationRow,
  type ClaimedRow,
  claimDocument,
  findByDocument,
} from './allocation.repository.js';
import { AllocationRequester } from './allocation-requester.js';

/** How long it waits for an attempt in flight before its own. */
const waitMaxMs = 10_000;
const checkAgainMs = 100;

type Key = Pick<AllocationRow, 'business_id' | 'document_id'>;

/** Makes an attempt for one document now, for a person who asks for it. */
@Injectable()
export class ImmediateAttempt {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly requester: AllocationRequester,
    private readonly tracing: Tracing,
  ) {}

  /**
   * Claims the document once no other attempt is in flight, and makes the attempt, which goes on where the caller's time is over.
   * @param onClaim in the transaction of the claim.
   * @returns false where an attempt stays in flight, or there is nothing to request.
   */
  async make(
    key: Key,
    onClaim: (trx: Transaction<AllocationTables>) => Promise<void> = async () => {},
  ): Promise<boolean> {
    const endMs = performance.now() + remainingMs(waitMaxMs);
    for (;;) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + this.requester.claimMs);
      const claimed = await forTenant(this.db, key.business_id)
        .transaction()
        .execute(async (trx) => {
          const taken = await claimDocument(trx, key, now, until);
          if (taken) {
            await onClaim(trx);
          }
          return taken;
        });
      if (claimed) {
        return this.#request(claimed);
      }
      // The attempt in flight may have brought what is asked for.
      const row = await findByDocument(forTenant(this.db, key.business_id), key.document_id);
      if (row?.state === 'issued' || performance.now() > endMs) {
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, checkAgainMs));
    }
  }

  /** The attempt belongs to the trace of the document, not of the caller. @returns false where it is still in flight. */
  async #request(row: ClaimedRow): Promise<boolean> {
    const { business_id, document_id, trace } = row;
    const described = { kind: SpanKind.INTERNAL, logContext: { business_id, document_id } };
    const context = continuedContext(this.requester.claimMs);
    const attempt = this.tracing
      .startEntrySpan(context, trace, 'retry-allocation', described, () => this.requester.request(row))
      .then(() => true);
    const waitMs = remainingMs(timeLimitsMs.operatorCall) - timeLimitsMs.replyReserve;
    let timer: NodeJS.Timeout | undefined;
    const timeOver = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.max(0, waitMs));
    });
    return Promise.race([attempt, timeOver]).finally(() => clearTimeout(timer));
  }
}
