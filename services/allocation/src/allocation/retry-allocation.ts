import { type ReplyOf, type RequestOf, retryAllocation } from '@pinkas/contracts';
import {
  type Clock,
  continuedContext,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  ofEveryBusiness,
  Problem,
  remainingMs,
  SpanKind,
  Tracing,
} from '@pinkas/service-kit';
import { type AllocationRow, type ClaimedRow, claimNow, findByDocument } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { TryAllocation } from './try-allocation.js';

/** How long it waits for a try that is under way. */
const waitMaxMs = 10_000;
const lookAgainMs = 100;

type Reply = ReplyOf<typeof retryAllocation>;

/** Asks for a document's number now, and says what came of it. */
@Operation(retryAllocation)
export class RetryAllocation {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly tries: TryAllocation,
    private readonly tracing: Tracing,
  ) {}

  async handle({ document_id: id }: RequestOf<typeof retryAllocation>): Promise<Reply> {
    const claimed = await this.#claim(id);
    if ('outcome' in claimed) return claimed;
    await this.#try(claimed);
    return afterwards(await this.#find(id));
  }

  /** The try belongs to the document's own trace, whoever asked for it. */
  #try(row: ClaimedRow): Promise<void> {
    const { business_id, document_id, trace } = row;
    const described = { kind: SpanKind.INTERNAL, subject: { business_id, document_id } };
    const context = continuedContext(remainingMs(retryAllocation.timeoutMs));
    return this.tracing.enter(context, trace, 'retry-allocation', described, () => this.tries.carryOut(row));
  }

  async #find(documentId: string): Promise<AllocationRow> {
    const row = await findByDocument(ofEveryBusiness(this.db), documentId);
    if (!row) throw new Problem('not_found');
    return row;
  }

  /** Takes the document, when nobody else is asking for it any more. */
  async #claim(documentId: string): Promise<ClaimedRow | Reply> {
    const endMs = performance.now() + remainingMs(waitMaxMs);
    for (;;) {
      const row = await this.#find(documentId);
      const why = notRetryable(row);
      if (why !== null) return reply(row, 'not_retryable', why);
      const now = this.clock.now();
      const until = new Date(now.getTime() + this.tries.claimMs);
      const claimed = await claimNow(ofBusiness(this.db, row.business_id), row, now, until);
      if (claimed) return claimed;
      if (performance.now() > endMs)
        return reply(row, 'failed', 'Another try is under way; look again in a minute.');
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
  }
}

/** Why there is nothing to ask for, or null. */
function notRetryable(row: AllocationRow): string | null {
  switch (row.state) {
    case 'issued':
      return 'The document has its number already.';
    case 'asking':
    case 'refused':
    case 'given_up':
      return null;
    default:
      return row.reason;
  }
}

/** What the try came to. */
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
        row.reason ?? 'The outcome of the try could not be stored; it is made again.',
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
