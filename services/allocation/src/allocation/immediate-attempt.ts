import { Injectable } from '@nestjs/common';
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
   * Claims the document once no other attempt is in flight, and makes the attempt.
   * @param timeoutMs of the call.
   * @param onClaim in the transaction of the claim.
   * @returns false where another attempt stays in flight, or there is nothing to request.
   */
  async make(
    key: Key,
    timeoutMs: number,
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
        await this.#request(claimed, timeoutMs);
        return true;
      }
      // The attempt in flight may have brought what is asked for.
      const row = await findByDocument(forTenant(this.db, key.business_id), key.document_id);
      if (row?.state === 'issued' || performance.now() > endMs) {
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, checkAgainMs));
    }
  }

  /** The attempt belongs to the trace of the document, not of the caller. */
  #request(row: ClaimedRow, timeoutMs: number): Promise<void> {
    const { business_id, document_id, trace } = row;
    const described = { kind: SpanKind.INTERNAL, logContext: { business_id, document_id } };
    const context = continuedContext(remainingMs(timeoutMs));
    return this.tracing.startEntrySpan(context, trace, 'retry-allocation', described, () =>
      this.requester.request(row),
    );
  }
}
