import { Injectable } from '@nestjs/common';
import {
  type Business,
  documentIssued,
  type IssuedDocument,
  type issueDocument,
  type ReplyOf,
  type RequestOf,
  renderArtifact,
} from '@pinkas/contracts';
import { dayInIsrael, type Totals } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  InjectClock,
  InjectLogger,
  type Logger,
  type OutboxTransaction,
  publish,
  RpcClient,
} from '@pinkas/service-kit';
import { ClockCheck } from './clock-check.js';
import { type DocumentRow, findById, toRow } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';
import { checkDueDate, checkSeriesDate, defaultDate, paymentsSum } from './document-rules.js';
import { idempotencyKeyOf, lockKeyWithin } from './idempotency-lock.js';
import { insertIssued, type LockedSeries, lockSeries } from './issue.repository.js';
import { lockWaitMs } from './issue-queue.js';
import { IssuingMetrics } from './issuing-metrics.js';
import { lockSource, settleSource } from './source-document.js';
import { type UnnumberedDocument, withDate } from './unnumbered-document.js';

type IssueRequest = RequestOf<typeof issueDocument>;
type Artifact = ReplyOf<typeof renderArtifact>;
type Trx = OutboxTransaction<IssuingTables>;

/** A document that is ready to be issued: its request, all that does not depend on the series, and its exact totals. */
export interface PreparedIssue {
  request: IssueRequest;
  body_sha256: Buffer;
  document: UnnumberedDocument;
  totals: Totals;
}

/** A document of the book: issued by this request, or earlier with the same idempotency key. */
export type Issued =
  | { row: DocumentRow; existing: true }
  | { row: DocumentRow; existing: false; artifact: Artifact };

/** A document with its number and instant, and the source that it locks. */
interface NumberedDocument {
  document: IssuedDocument;
  issuedAt: Date;
  source: DocumentRow | null;
}

/**
 * The transaction that issues a document: lock, decide, render, insert.
 *
 * Locks are taken in this order: the idempotency key (only tried), the series, the source document, the day's count of the API
 * key, the book. A cancellation locks its document alone, so transactions never wait for one another in a circle.
 */
@Injectable()
export class IssueTransaction {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly rpc: RpcClient,
    private readonly clocks: ClockCheck,
    private readonly metrics: IssuingMetrics,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * @throws ApiError for every refusal that needs the series or the source, `request_in_progress` for a locked idempotency key,
   * `document_generation_failed`. Whatever fails, the number was not used.
   */
  async run(trx: Trx, prepared: PreparedIssue): Promise<Issued> {
    const { request } = prepared;
    const { series, today } = await this.#lock(trx, request);
    if (series.issued_id !== null) {
      return { row: await existingDocument(trx, request.business.id, series.issued_id), existing: true };
    }
    const numbered = await this.#decide(trx, prepared, series, today);
    const artifact = await this.#render(numbered.document, request.business);
    const row = await insert(trx, prepared, numbered, { artifact, today });
    return { row, existing: false, artifact };
  }

  /** Locks the idempotency key and the series. What is read with the series is of the day on which its lock was acquired. */
  async #lock(trx: Trx, request: IssueRequest): Promise<{ series: LockedSeries; today: string }> {
    const { business, key, body, idempotency_key } = request;
    const { isLocked } = await this.clocks.compare(() =>
      lockKeyWithin(trx, idempotencyKeyOf(request), lockWaitMs()),
    );
    if (!isLocked) {
      throw new ApiError('request_in_progress');
    }
    const lock = (day: string) =>
      lockSeries(
        trx,
        { business_id: business.id, type: body.type, first_number: business.first_numbers[body.type] ?? 1 },
        { idempotency_key, key_id: key.id, day },
      );
    const dayBefore = dayInIsrael(this.clock.now());
    const series = await lock(dayBefore);
    const today = dayInIsrael(this.clock.now());
    return { series: today === dayBefore ? series : await lock(today), today };
  }

  /** Checks what depends on the series and the source, and gives the document its date, number and instant. */
  async #decide(
    trx: Trx,
    { request, document }: PreparedIssue,
    series: LockedSeries,
    today: string,
  ): Promise<NumberedDocument> {
    const { business, key, body } = request;
    // Midnight may have passed since the document was prepared, and a date that the caller did not send must not be refused.
    const date = body.date ?? this.#defaultDate(series, today);
    if (date !== document.date) {
      checkDueDate(body, date);
    }
    const source = await lockSource(trx, document);
    if (series.issued_today >= key.daily_documents) {
      throw new ApiError('daily_limit_reached');
    }
    checkSeriesDate(date, series.last_date);
    const issuedAt = nextInstant(this.clock.now(), series.last_issued_at);
    return {
      document: {
        ...(date === document.date ? document : withDate(document, body, business, date)),
        number: series.next_number,
        issued_at: issuedAt.toISOString(),
      },
      issuedAt,
      source,
    };
  }

  /** @throws ApiError `date_before_last_document` where the series' last date is too far ahead to be given unasked. */
  #defaultDate(series: LockedSeries, today: string): string {
    const date = defaultDate(today, series.last_date);
    if (date === null) {
      const { business_id, type, last_date } = series;
      this.metrics.countSeriesAhead();
      this.logger.error({ business_id, type, last_date, today }, 'series ahead of today');
      throw new ApiError('date_before_last_document', { details: { last_document_date: last_date } });
    }
    return date;
  }

  async #render(document: IssuedDocument, business: Business): Promise<Artifact> {
    try {
      return await this.rpc.call(renderArtifact, { document, business });
    } catch (error) {
      throw new ApiError('document_generation_failed', { cause: error });
    }
  }
}

/**
 * Updates the source, publishes `documentIssued` and inserts the document. The insert comes last: it locks the day's count and the
 * book, which other series of the API key and of the business wait for, and the commit follows at once.
 */
async function insert(
  trx: Trx,
  { request, body_sha256, totals }: PreparedIssue,
  { document, issuedAt, source }: NumberedDocument,
  { artifact, today }: { artifact: Artifact; today: string },
): Promise<DocumentRow> {
  const { business, key, body } = request;
  const paid = paymentsSum(body);
  if (source) {
    await settleSource(trx, source, { type: document.type, total: totals.total, paid });
  }
  await publish(trx, documentIssued, document.id, { document, business });
  const row = await insertIssued(
    trx,
    toRow(document, {
      business,
      issuedAt,
      paid,
      body_sha256,
      idempotency_key: request.idempotency_key,
      key_id: key.id,
      artifact_sha256: artifact.sha256,
    }),
    { day: today, limit: key.daily_documents },
  );
  if (!row) {
    throw new ApiError('daily_limit_reached');
  }
  return row;
}

/** The document that an earlier holder of the idempotency key's lock has issued. */
async function existingDocument(trx: Trx, businessId: string, id: string): Promise<DocumentRow> {
  const row = await findById(trx, businessId, id);
  if (!row) {
    throw new Error('issued document not found');
  }
  return row;
}

/** The instant of issue. It never decreases along the numbers, though clocks differ between machines. */
function nextInstant(now: Date, last: Date | null): Date {
  return new Date(Math.max(now.getTime(), last?.getTime() ?? 0));
}
