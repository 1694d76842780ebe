import { randomUUID } from 'node:crypto';
import {
  type Business,
  documentIssued,
  documentTypeRules,
  type IssuedDocument,
  issueDocument,
  type ReplyOf,
  type RequestOf,
  renderArtifact,
} from '@pinkas/contracts';
import { fromShekels, type Totals, toShekels } from '@pinkas/money';
import {
  announce,
  type Clock,
  type Database,
  type DocumentWatch,
  dayInIsrael,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  noteSubject,
  Operation,
  ofBusiness,
  Peers,
  Problem,
  problemOf,
  Relay,
  remainingMs,
  Slots,
  type Transaction,
} from '@pinkas/service-kit';
import type { IssuingConfig } from '../config.js';
import { Line } from '../series/line.js';
import { type LockedSeries, lockSeries } from '../series/series.repository.js';
import { CreationOutcomesWait } from './creation-outcomes.js';
import { CustomerCards } from './customer-cards.js';
import {
  applyToSource,
  creditedTotal,
  type DocumentRow,
  findById,
  findByKey,
  insertIssued,
  lockById,
  toDocument,
} from './document.repository.js';
import type { CreationOutcomes, IssuingTables } from './document.tables.js';
import {
  checkDueDate,
  checkRequest,
  checkSeriesDate,
  checkSource,
  defaultDate,
  effectOnSource,
  paymentsSum,
  totalsOf,
} from './document-rules.js';
import { type Draft, draftOf, redated } from './draft.js';
import { fingerprint } from './fingerprint.js';
import { type IdempotencyKey, isKeyLocked, tryLockKey } from './idempotency-lock.js';
import { IssuingMetrics } from './issuing-metrics.js';

type IssueRequest = RequestOf<typeof issueDocument>;
type Trx = Transaction<IssuingTables>;

/** A document of the book: the one that this request has issued, or the one that its key had issued before. */
interface Issued {
  row: DocumentRow;
  existing: boolean;
  /** What rendering made, for the one that this request has issued. */
  artifact?: ReplyOf<typeof renderArtifact>;
}

/** A document that only its series is missing of, with its exact totals. */
interface Drafted {
  document: Draft;
  totals: Totals;
}

/** Connections of the pool that no issuing transaction takes. */
const connectionsKeptFree = 4;
/** How many requests may wait for one series in this process. */
const lineLengthMax = 200;
/** Left of the request's time when its locks are got: for the slowest rendering (6 s) and the commit. */
const afterLocksMs = 6_500;
/** Left when its turn in the line comes: a series may also be held by another replica. */
const afterLineMs = afterLocksMs + 500;

/**
 * Issues the next document of a series.
 *
 * The number is the series row, locked in the transaction that inserts the document; the PDF is rendered inside that
 * transaction, so that whatever fails, the number was never used. 'In progress' is an advisory lock that dies with the
 * transaction, 'done' is the unique (business, key) of the document.
 */
@Operation(issueDocument)
export class IssueDocument {
  readonly #line = new Line(lineLengthMax);
  /** While documents are rendered, reading and recording must still get a connection. */
  readonly #slots: Slots;
  /** The keys that this process works on, up to their commit. */
  readonly #inFlight = new Set<string>();

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly peers: Peers,
    private readonly relay: Relay,
    private readonly outcomes: CreationOutcomesWait,
    private readonly cards: CustomerCards,
    private readonly metrics: IssuingMetrics,
    @InjectLogger() private readonly logger: Logger,
    @InjectConfig() config: IssuingConfig,
  ) {
    this.#slots = new Slots(Math.max(1, config.databasePoolSize - connectionsKeptFree), lineLengthMax);
  }

  async handle(request: IssueRequest): Promise<ReplyOf<typeof issueDocument>> {
    const { type } = request.body;
    try {
      const reply = await this.#answer(request);
      this.metrics.asked(type, reply.replayed ? 'replayed' : 'issued');
      return reply;
    } catch (error) {
      this.metrics.asked(type, problemOf(error).code);
      throw error;
    }
  }

  async #answer(request: IssueRequest): Promise<ReplyOf<typeof issueDocument>> {
    const hash = fingerprint(request.body);
    const db = ofBusiness(this.db, request.business.id);
    const existing = await findByKey(db, request.business.id, request.idempotency_key);
    if (existing) return this.#replay(existing, hash);
    const flight = `${request.business.id} ${request.idempotency_key}`;
    if (this.#inFlight.has(flight)) throw new Problem('request_in_progress');
    this.#inFlight.add(flight);
    let watch: DocumentWatch | undefined;
    try {
      if (await isKeyLocked(db, keyOf(request))) throw new Problem('request_in_progress');
      const draft = await this.#draft(request);
      noteSubject({ document_id: draft.document.id });
      watch = this.outcomes.open(draft.document.id);
      const issued = await this.#issue(request, draft, hash);
      // From the commit on, the same key is a replay.
      this.#inFlight.delete(flight);
      if (issued.existing) return await this.#replay(issued.row, hash);
      this.#log(issued);
      return toReply(issued.row, await this.outcomes.ofNew(issued.row, watch), false);
    } finally {
      this.#inFlight.delete(flight);
      watch?.close();
    }
  }

  #log({ row, artifact }: Issued): void {
    const { business_id, id, type, number } = row;
    const { render_ms, sign_ms, size_bytes } = artifact ?? {};
    this.logger.info(
      { business_id, document_id: id, type, number, render_ms, sign_ms, size_bytes },
      'issued',
    );
  }

  async #replay(row: DocumentRow, hash: Buffer): Promise<ReplyOf<typeof issueDocument>> {
    noteSubject({ document_id: row.id });
    if (!row.body_sha256.equals(hash)) throw new Problem('idempotency_key_reused');
    return toReply(row, await this.outcomes.ofExisting(row), true);
  }

  /** Everything that can be decided, and refused, before the series is touched. The customer's card is reserved at its end. */
  async #draft(request: IssueRequest): Promise<Drafted> {
    const { body, business } = request;
    const today = dayInIsrael(this.clock.now());
    const date = body.date ?? today;
    checkDueDate(body, date);
    checkRequest(body, business, today);
    const source =
      body.based_on === undefined ? null : await this.#source(body.type, business, body.based_on);
    const totals = totalsOf(body, business);
    const id = randomUUID();
    const customer = await this.cards.reserve({ business_id: business.id, document_id: id }, body.customer);
    return { document: draftOf({ id, body, business, date, totals, customer, source }), totals };
  }

  async #source(
    type: IssuedDocument['type'],
    business: Business,
    id: string,
  ): Promise<NonNullable<IssuedDocument['based_on']>> {
    const row = await findById(ofBusiness(this.db, business.id), business.id, id);
    if (!row) throw new Problem('based_on_not_found');
    checkSource(type, row);
    return { id: row.id, type: row.type, number: row.number, date: row.dated_on };
  }

  /** Issues in turn, and gives the customer's card back unless the document is in the book, or may be. */
  async #issue(request: IssueRequest, draft: Drafted, hash: Buffer): Promise<Issued> {
    const reserver = { business_id: request.business.id, document_id: draft.document.id };
    // Where all was done and only the commit failed, nobody knows whether the document is in the book.
    let maybeCommitted = false;
    let lockedAtMs: number | undefined;
    const noteLock = () => {
      lockedAtMs = performance.now();
    };
    try {
      const issued = await this.#inTurn(request, draft, (trx) =>
        this.#issueIn(trx, request, draft, hash, noteLock).then((done) => {
          maybeCommitted = !done.existing;
          return done;
        }),
      );
      if (issued.existing) this.cards.giveBack(reserver);
      return issued;
    } catch (error) {
      if (!maybeCommitted) this.cards.giveBack(reserver);
      throw error;
    } finally {
      if (lockedAtMs !== undefined) this.metrics.released(lockedAtMs);
    }
  }

  /** Waits for the turn in the line of the series, and for a connection, and runs `work` in a transaction. */
  async #inTurn(
    { business }: IssueRequest,
    draft: Drafted,
    work: (trx: Trx) => Promise<Issued>,
  ): Promise<Issued> {
    const waitMs = remainingMs(issueDocument.timeoutMs) - afterLineMs;
    return this.#line.run(`${business.id} ${draft.document.type}`, waitMs, () => {
      const turn = AbortSignal.timeout(
        Math.max(1, Math.floor(remainingMs(issueDocument.timeoutMs) - afterLineMs)),
      );
      return this.#slots.run(turn, () => this.relay.transaction(ofBusiness(this.db, business.id), work));
    });
  }

  /**
   * The transaction that makes the document.
   *
   * Everything that locks, locks in this order: the idempotency key (only tried), the series, the source document, the day's
   * count of the API key. A cancellation locks its document alone. So transactions may wait for one another, but never in a
   * circle.
   */
  async #issueIn(
    trx: Trx,
    request: IssueRequest,
    { document: draft, totals }: Drafted,
    hash: Buffer,
    noteLock: () => void,
  ): Promise<Issued> {
    const { business, key, body } = request;
    const lockWaitMs = Math.max(1, Math.floor(remainingMs(issueDocument.timeoutMs) - afterLocksMs));
    if (!(await tryLockKey(trx, keyOf(request), lockWaitMs))) throw new Problem('request_in_progress');
    const { series, today } = await this.#lockSeries(trx, request);
    noteLock();
    if (series.issued_id !== null) {
      // Whoever held the lock on the key before has issued meanwhile.
      const row = await findById(trx, business.id, series.issued_id);
      if (!row) throw new Error('an issued document is gone');
      return { row, existing: true };
    }
    // Midnight may have passed while the request waited, and a date that the caller did not send must not be refused.
    const date = body.date ?? defaultDate(today, series.last_date);
    if (date !== draft.date) checkDueDate(body, date);
    const source = draft.based_on ? await lockById(trx, business.id, draft.based_on.id) : undefined;
    if (draft.based_on && !source) throw new Error('an issued document is gone');
    // It may have been cancelled since it was looked at.
    if (source) checkSource(draft.type, source);
    if (series.counted >= key.daily_documents) throw new Problem('daily_limit_reached');
    checkSeriesDate(date, series.last_date);

    const issuedAt = nextInstant(this.clock.now(), series.last_issued_at);
    const document: IssuedDocument = {
      ...(date === draft.date ? draft : redated(draft, body, business, date)),
      number: series.next_number,
      issued_at: issuedAt.toISOString(),
    };
    const artifact = await this.#render(document, business);

    const paid = paymentsSum(body);
    // The count is written last: its row is locked from here, and a key that issues in several series must not wait for a
    // rendering.
    const row = await insertIssued(
      trx,
      {
        business_id: business.id,
        id: document.id,
        public_id: document.public_id,
        type: document.type,
        number: document.number,
        status: documentTypeRules[document.type].issuedAs,
        dated_on: document.date,
        due_on: document.due_date,
        issued_at: issuedAt,
        cancelled_at: null,
        cancel_reason: null,
        external_ref: document.external_ref,
        idempotency_key: request.idempotency_key,
        body_sha256: hash,
        key_id: key.id,
        business: JSON.stringify(business),
        customer_id: document.customer.id,
        customer: JSON.stringify(document.customer),
        items: JSON.stringify(document.items),
        prices_include_vat: document.prices_include_vat,
        discount_rule: document.discount ? JSON.stringify(document.discount) : null,
        payments: JSON.stringify(document.payments),
        subtotal: document.totals.subtotal.toFixed(2),
        discount: document.totals.discount.toFixed(2),
        vat: document.totals.vat.toFixed(2),
        vat_rate: String(document.totals.vat_rate),
        total: document.totals.total.toFixed(2),
        paid: toShekels(paid).toFixed(2),
        source_id: document.based_on?.id ?? null,
        source: document.based_on ? JSON.stringify(document.based_on) : null,
        title: document.title,
        notes: document.notes,
        send: document.send,
        artifact_sha256: artifact.sha256,
        allocation_number: null,
        allocation: null,
        delivery: null,
        creation: null,
      },
      { day: today, limit: key.daily_documents },
    );
    if (!row) throw new Problem('daily_limit_reached');
    if (source) await settleSource(trx, source, { type: document.type, total: totals.total, paid });
    await announce(trx, documentIssued, document.id, { document, business });
    return { row, existing: false, artifact };
  }

  /** Locks the series; what is read with it holds for the day on which the lock was got. */
  async #lockSeries(trx: Trx, request: IssueRequest): Promise<{ series: LockedSeries; today: string }> {
    const { business, key, body, idempotency_key } = request;
    const lock = (day: string) =>
      lockSeries(
        trx,
        { business_id: business.id, type: body.type, first_number: business.first_numbers[body.type] ?? 1 },
        { idempotency_key, key_id: key.id, day },
      );
    const before = dayInIsrael(this.clock.now());
    const series = await lock(before);
    const today = dayInIsrael(this.clock.now());
    return { series: today === before ? series : await lock(today), today };
  }

  /** The signed PDF; any failure rolls the number back. */
  async #render(document: IssuedDocument, business: Business): Promise<ReplyOf<typeof renderArtifact>> {
    try {
      return await this.peers.ask(renderArtifact, { document, business });
    } catch (error) {
      throw new Problem('document_generation_failed', { cause: error });
    }
  }
}

const keyOf = (request: IssueRequest): IdempotencyKey => ({
  business_id: request.business.id,
  idempotency_key: request.idempotency_key,
});

/**
 * The instant of issue. Along the numbers it always grows, though clocks differ between machines: a list is in its order,
 * and two documents of one series at one instant would have none.
 */
function nextInstant(now: Date, last: Date | null): Date {
  return new Date(Math.max(now.getTime(), last === null ? 0 : last.getTime() + 1));
}

async function settleSource(
  trx: Trx,
  source: DocumentRow,
  document: { type: IssuedDocument['type']; total: bigint; paid: bigint },
): Promise<void> {
  const credited =
    document.type === 'credit_note' ? Number(await creditedTotal(trx, source.business_id, source.id)) : 0;
  // The credit note itself is in the book by now, so it is among the credited.
  const earlier = document.type === 'credit_note' ? fromShekels(credited) - document.total : 0n;
  const effect = effectOnSource(document, {
    type: source.type,
    total: fromShekels(Number(source.total)),
    settled: fromShekels(Number(source.paid)) + earlier,
  });
  if (!effect.closes && effect.pays === 0n) return;
  await applyToSource(trx, source, { closes: effect.closes, paysShekels: toShekels(effect.pays).toFixed(2) });
}

function toReply(
  row: DocumentRow,
  outcomes: CreationOutcomes,
  replayed: boolean,
): ReplyOf<typeof issueDocument> {
  const document = toDocument(row);
  return {
    document,
    // The state at the time of issue, whatever has happened since: a replay answers what the creation answered.
    state: {
      status: documentTypeRules[row.type].issuedAs,
      paid: toShekels(document.payments.reduce((sum, payment) => sum + fromShekels(payment.amount), 0n)),
      allocation_number: outcomes.allocation.number,
      cancelled_at: null,
    },
    ...outcomes,
    replayed,
  };
}
