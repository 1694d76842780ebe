import {
  type Business,
  documentIssued,
  documentTypeRules,
  type IssuedDocument,
  issueDocument,
  type ReplyOf,
  type RequestOf,
  renderArtifact,
  resolveCustomer,
} from '@pinkas/contracts';
import { fromShekels, type Totals, toShekels } from '@pinkas/money';
import {
  announce,
  type Clock,
  type Database,
  type DocumentWatch,
  databaseIsBusyOrAway,
  dayInIsrael,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Operation,
  Peers,
  Problem,
  Relay,
  remainingMs,
  Slots,
  SlotsFull,
  type Transaction,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingConfig } from '../config.js';
import { lockSeries } from '../series/series.repository.js';
import { SeriesLine } from '../series/series-line.js';
import { CreationOutcomesWait } from './creation-outcomes.js';
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

type IssueRequest = RequestOf<typeof issueDocument>;
type Trx = Transaction<IssuingTables>;

/** A document of the book: the one that this request has issued, or the one that its key had issued before. */
interface Issued {
  row: DocumentRow;
  existing: boolean;
  /** What rendering made, for the one that this request has issued. */
  artifact?: ReplyOf<typeof renderArtifact>;
}

/** Connections of the pool that no issuing transaction takes. */
const connectionsKeptFree = 4;
/** How many requests may wait for one series in this process. */
const lineLengthMax = 200;
/** Left of the request's time when its turn in the line comes: for the slowest rendering (6 s) and the commit. */
const afterLineMs = 7_000;

/**
 * Issues the next document of a series.
 *
 * The number is the series row, locked in the transaction that inserts the document; the PDF is rendered inside that
 * transaction, so that whatever fails, the number was never used. 'In progress' is an advisory lock that dies with the
 * transaction, 'done' is the unique (business, key) of the document.
 */
@Operation(issueDocument)
export class IssueDocument {
  readonly #line = new SeriesLine(lineLengthMax);
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
    @InjectLogger() private readonly logger: Logger,
    @InjectConfig() config: IssuingConfig,
  ) {
    this.#slots = new Slots(Math.max(1, config.databasePoolSize - connectionsKeptFree), lineLengthMax);
  }

  async handle(request: IssueRequest): Promise<ReplyOf<typeof issueDocument>> {
    const hash = fingerprint(request.body);
    const existing = await findByKey(this.db, request.business.id, request.idempotency_key);
    if (existing) return this.#replay(existing, hash);
    const flight = `${request.business.id} ${request.idempotency_key}`;
    if (this.#inFlight.has(flight)) throw new Problem('request_in_progress');
    this.#inFlight.add(flight);
    let watch: DocumentWatch | undefined;
    try {
      const draft = await this.#draft(request);
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
    if (!row.body_sha256.equals(hash)) throw new Problem('idempotency_key_reused');
    return toReply(row, await this.outcomes.ofExisting(row), true);
  }

  /** Everything that can be decided, and refused, before the series is touched. */
  async #draft(request: IssueRequest): Promise<{ document: Draft; totals: Totals }> {
    const { body, business } = request;
    const today = dayInIsrael(this.clock.now());
    const date = body.date ?? today;
    checkDueDate(body, date);
    checkRequest(body, business, today);
    const source =
      body.based_on === undefined ? null : await this.#source(body.type, business, body.based_on);
    const totals = totalsOf(body, business);
    const { customer } = await this.peers.ask(resolveCustomer, {
      business_id: business.id,
      customer: body.customer,
    });
    return { document: draftOf({ body, business, date, totals, customer, source }), totals };
  }

  async #source(
    type: IssuedDocument['type'],
    business: Business,
    id: string,
  ): Promise<NonNullable<IssuedDocument['based_on']>> {
    const row = await findById(this.db, business.id, id);
    if (!row) throw new Problem('based_on_not_found');
    checkSource(type, row);
    return { id: row.id, type: row.type, number: row.number, date: row.dated_on };
  }

  async #issue(
    request: IssueRequest,
    draft: { document: Draft; totals: Totals },
    hash: Buffer,
  ): Promise<Issued> {
    const { business } = request;
    const waitMs = remainingMs(issueDocument.timeoutMs) - afterLineMs;
    return this.#line.run(`${business.id} ${draft.document.type}`, waitMs, async () => {
      try {
        const turn = AbortSignal.timeout(
          Math.max(1, Math.floor(remainingMs(issueDocument.timeoutMs) - afterLineMs)),
        );
        return await this.#slots.run(turn, () =>
          this.relay.transaction(this.db, (trx) => this.#issueIn(trx, request, draft, hash)),
        );
      } catch (error) {
        const passes =
          databaseIsBusyOrAway(error) || error instanceof SlotsFull || error instanceof DOMException;
        throw passes ? new Problem('engine_error', { cause: error }) : error;
      }
    });
  }

  async #issueIn(
    trx: Trx,
    request: IssueRequest,
    { document: draft, totals }: { document: Draft; totals: Totals },
    hash: Buffer,
  ): Promise<Issued> {
    const { business, key, body } = request;
    const today = dayInIsrael(this.clock.now());
    if (!(await tryLockKey(trx, business.id, request.idempotency_key)))
      throw new Problem('request_in_progress');
    const series = await lockSeries(
      trx,
      { business_id: business.id, type: draft.type, first_number: business.first_numbers[draft.type] ?? 1 },
      { idempotency_key: request.idempotency_key, key_id: key.id, day: today },
    );
    if (series.issued_id !== null) {
      // Whoever held the lock on the key before has issued meanwhile.
      const row = await findById(trx, business.id, series.issued_id);
      if (!row) throw new Error('an issued document is gone');
      return { row, existing: true };
    }
    if (series.counted >= key.daily_documents) throw new Problem('daily_limit_reached');
    // Midnight may have passed while the request waited, and a date that the caller did not send must not be refused.
    const date = body.date ?? defaultDate(today, series.last_date);
    checkSeriesDate(date, series.last_date);
    const source = draft.based_on ? await lockById(trx, business.id, draft.based_on.id) : undefined;
    if (source) checkSource(draft.type, source);

    // Clocks differ between machines; along the numbers the instant of issue never falls.
    const issuedAt = new Date(Math.max(this.clock.now().getTime(), series.last_issued_at?.getTime() ?? 0));
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

  /** The signed PDF; any failure rolls the number back. */
  async #render(document: IssuedDocument, business: Business): Promise<ReplyOf<typeof renderArtifact>> {
    try {
      return await this.peers.ask(renderArtifact, { document, business });
    } catch (error) {
      throw new Problem('document_generation_failed', { cause: error });
    }
  }
}

/** 'In progress' on every replica: a lock on the key that ends with the transaction, however that ends. */
async function tryLockKey(trx: Trx, businessId: string, idempotencyKey: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${businessId} ${idempotencyKey}`}, 0)) as locked`.execute(
    trx,
  );
  return rows[0]?.locked ?? false;
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
