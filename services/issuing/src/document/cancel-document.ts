import { cancelDocument, documentCancelled, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  announce,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  Problem,
  Relay,
  remainingMs,
  Slots,
  type Transaction,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import { Line } from '../series/line.js';
import { isInvoiced, lockById, markCancelled, toDocument, toHead, toState } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';
import { checkCancellable } from './document-rules.js';

type CancelRequest = RequestOf<typeof cancelDocument>;
type CancelReply = ReplyOf<typeof cancelDocument>;

/** Cancellations may wait for a rendering; more of them at once must not take the connections that reading needs. */
const concurrencyMax = 3;
const queueMax = 100;
/** Left of the request's time for the commit and the answer when its waits end. */
const answerReserveMs = 500;

/**
 * Cancels a document that is no accounting document. Its number stays in the book.
 *
 * The row's lock orders it with documents that are being based on it: whoever comes second sees what the first has done.
 */
@Operation(cancelDocument)
export class CancelDocument {
  readonly #slots = new Slots(concurrencyMax, queueMax);
  /** One at a time for each business, so that one whose documents are held up does not hold up the others. */
  readonly #line = new Line(queueMax);

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly relay: Relay,
  ) {}

  async handle(request: CancelRequest): Promise<CancelReply> {
    const db = ofBusiness(this.db, request.business_id);
    return await this.#line.run(request.business_id, waitMs(), () =>
      this.#slots.run(AbortSignal.timeout(waitMs()), () =>
        this.relay.transaction(db, (trx) => this.#cancelIn(trx, request)),
      ),
    );
  }

  async #cancelIn(trx: Transaction<IssuingTables>, request: CancelRequest): Promise<CancelReply> {
    // A document must not be cancelled after its caller was told to come again.
    await sql`select set_config('lock_timeout', ${`${waitMs()}ms`}, true)`.execute(trx);
    const found = await lockById(trx, request.business_id, request.document_id);
    if (!found) throw new Problem('not_found');
    // Asked under the lock: from here on nothing more can be based on the document.
    checkCancellable(found, await isInvoiced(trx, request.business_id, found.id));
    const at = new Date(Math.max(this.clock.now().getTime(), found.issued_at.getTime()));
    const row = await markCancelled(trx, found, { at, reason: request.reason });
    await announce(trx, documentCancelled, row.id, {
      document: toDocument(row),
      business: row.business,
      cancelled_at: at.toISOString(),
    });
    return { document: toHead(row), state: toState(row) };
  }
}

/** How long the request may still wait, in whole milliseconds; at least one, since zero would mean for ever. */
function waitMs(): number {
  return Math.max(1, Math.floor(remainingMs(cancelDocument.timeoutMs) - answerReserveMs));
}
