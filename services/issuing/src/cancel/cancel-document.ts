import { Controller } from '@nestjs/common';
import {
  cancelDocument,
  documentCancelled,
  type ReplyOf,
  type RequestOf,
  timeLimitsMs,
} from '@pinkas/contracts';
import { isBlank, withPlainBreaks } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  type Clock,
  currentContext,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  OutboxRelay,
  type OutboxTransaction,
  publish,
  remainingMs,
} from '@pinkas/service-kit';
import { KeyedQueue, Semaphore } from '@pinkas/service-kit/concurrency';
import { sql } from 'kysely';
import { isInvoiced, lockById, markCancelled } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { publishDocumentEvent } from '../document/document-events.js';
import { toDocument, toHead, toState } from '../document/document-row.js';
import { checkCancellable } from '../document/document-rules.js';
import { subtractCancelled } from '../document/document-sums.repository.js';

type CancelRequest = RequestOf<typeof cancelDocument>;
type CancelReply = ReplyOf<typeof cancelDocument>;

/** A cancellation may wait for a rendering: more of them must not take the connections that reads need. */
const concurrencyMax = 3;
const queueMax = 100;
/** Left of the request's time for the commit and the reply when its waits end. */
const replyReserveMs = timeLimitsMs.replyReserve;

/**
 * Cancels a document that is no accounting document. Its number stays used.
 *
 * The row lock orders the cancellation with documents that are being based on it: the second sees the effect of the first.
 */
@Controller()
export class CancelDocument {
  readonly #semaphore = new Semaphore(concurrencyMax, queueMax);
  /** One at a time for each business: one whose documents are locked must not hold up the others. */
  readonly #turns = new KeyedQueue(queueMax);

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly relay: OutboxRelay,
  ) {}

  @Operation(cancelDocument)
  async handle(request: CancelRequest): Promise<CancelReply> {
    const db = forTenant(this.db, request.business_id);
    return await this.#turns.run(request.business_id, AbortSignal.timeout(waitMs()), () =>
      this.#semaphore.run(AbortSignal.timeout(waitMs()), () =>
        this.relay.transaction(db, (trx) => this.#cancelIn(trx, request)),
      ),
    );
  }

  async #cancelIn(trx: OutboxTransaction<IssuingTables>, request: CancelRequest): Promise<CancelReply> {
    // The wait ends before the caller's deadline: a document must not be cancelled after the caller got an error.
    await sql`
      select set_config('lock_timeout', ${`${waitMs()}ms`}, true), set_config('pinkas.actor', ${callerOf(request)}, true),
        set_config('pinkas.request_id', ${currentContext()?.requestId ?? ''}, true)`.execute(trx);
    const found = await lockById(trx, request.business_id, request.document_id);
    if (!found) {
      throw new ApiError('not_found');
    }
    // Under the lock: from here on no document can be based on this one.
    checkCancellable(found, await isInvoiced(trx, request.business_id, found.id));
    const at = new Date(Math.max(this.clock.now().getTime(), found.issued_at.getTime()));
    const reason = reasonOf(request);
    const row = await markCancelled(trx, found, { at, reason });
    await publish(trx, documentCancelled, row.id, {
      document: toDocument(row),
      business: row.business,
      cancelled_at: at.toISOString(),
      ...(reason !== null && { reason }),
    });
    if (request.events) {
      await publishDocumentEvent(trx, 'document.cancelled', row, at.toISOString());
    }
    await subtractCancelled(trx, found);
    return { document: toHead(row), state: toState(row) };
  }
}

/** Why, as it is stored; null: no reason that can be read. */
const reasonOf = ({ reason }: CancelRequest): string | null =>
  reason === null || isBlank(reason) ? null : withPlainBreaks(reason);

/** Who cancels, for the trail. */
function callerOf({ key_id, person_id }: CancelRequest): string {
  if (person_id !== undefined) {
    return actorOf(person_id);
  }
  return key_id === undefined ? '' : `key:${key_id}`;
}

/** How long the request may still wait, in whole milliseconds; at least one, since zero means for ever. */
function waitMs(): number {
  return Math.max(1, Math.floor(remainingMs(cancelDocument.timeoutMs) - replyReserveMs));
}
