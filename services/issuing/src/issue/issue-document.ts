import { Controller } from '@nestjs/common';
import { issueDocument, type ReplyOf, type RequestOf, requestFingerprint } from '@pinkas/contracts';
import { fromShekels, statusAtIssue, storedTexts, toShekels } from '@pinkas/domain';
import {
  ApiError,
  currentContext,
  type Database,
  type DocumentWatch,
  forTenant,
  InjectDatabase,
  InjectLogger,
  type Logger,
  newContext,
  Operation,
  setLogContext,
  timeOrderedId,
  toApiError,
} from '@pinkas/service-kit';
import { type DocumentRow, findByKey } from '../document/document.repository.js';
import type { IssuingTables, ReplyOutcomes } from '../document/document.tables.js';
import { toDocument } from '../document/document-row.js';
import { termsOf } from '../document/document-rules.js';
import { IssuingMetrics } from '../health/issuing-metrics.js';
import { AuthorityThreshold } from './authority-threshold.js';
import { CustomerCards } from './customer-cards.js';
import { DocumentChecks } from './document-checks.js';
import { type Draft, unnumberedDocument } from './draft.js';
import { IssueOutcomes } from './issue-outcomes.js';
import { IssueQueue } from './issue-queue.js';
import type { Outcome } from './issue-transaction.js';
import { RecipientChecks } from './recipient-checks.js';

type IssueRequest = RequestOf<typeof issueDocument>;
type IssueReply = ReplyOf<typeof issueDocument>;

/**
 * Issues the next document of a series, or returns the one that the idempotency key has issued.
 *
 * The number is the series row, locked in the transaction that inserts the document; the PDF is rendered inside that
 * transaction, so a failure never uses a number. 'In progress' is an advisory lock that ends with the transaction, 'done' is
 * the unique (business, key) of the document.
 *
 * A request is compared with what its idempotency key has done four times, the cheapest first: the keys that this process issues
 * with (`#inFlight`, again after the second), the issued document and the lock of another replica, before a customer's card is
 * reserved (`findByKey`), the lock for this transaction (`lockKeysWithin`), and the document that the previous holder of the
 * series' row may have issued (`lockSeries`).
 */
@Controller()
export class IssueDocument {
  /** The idempotency keys that this process issues with, up to the commit. */
  readonly #inFlight = new Set<string>();

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    private readonly checks: DocumentChecks,
    private readonly threshold: AuthorityThreshold,
    private readonly cards: CustomerCards,
    private readonly recipients: RecipientChecks,
    private readonly queue: IssueQueue,
    private readonly outcomes: IssueOutcomes,
    private readonly metrics: IssuingMetrics,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  @Operation(issueDocument)
  async handle(request: IssueRequest): Promise<IssueReply> {
    const { type } = request.body;
    try {
      const reply = await this.#replayOrIssue(request);
      this.metrics.countRequest(type, reply.replayed ? 'replayed' : 'issued');
      return reply;
    } catch (error) {
      this.metrics.countRequest(type, toApiError(error).code);
      throw error;
    }
  }

  async #replayOrIssue(request: IssueRequest): Promise<IssueReply> {
    this.#requireNotInFlight(request);
    const { body, set_offs, withheld } = request;
    const known = requestFingerprint({ body, set_offs, withheld });
    const hash = request.body_sha256 === undefined ? known : Buffer.from(request.body_sha256, 'hex');
    const db = forTenant(this.db, request.business.id);
    const { existing, isInProgress } = await findByKey(db, request.business.id, request.idempotency_key);
    if (existing) {
      return this.#replay(existing, hash);
    }
    if (!hash.equals(known)) {
      // A newer gateway sent members that were dropped here. A replica of its release issues the document with them.
      throw new ApiError('engine_error', { cause: new Error('body has members of a newer release') });
    }
    if (isInProgress) {
      throw new ApiError('request_in_progress');
    }
    // From the commit on, another request with the key is a replay: waiting for the outcomes holds up none.
    const { draft, outcome, watch } = await this.#exclusively(request, () => this.#issueNew(request, hash));
    try {
      switch (outcome.kind) {
        case 'issued':
          this.#log(outcome);
          return toReply(outcome.row, await this.outcomes.awaitForNew(outcome.row, draft, watch), false);
        case 'existing':
          return await this.#replay(outcome.row, hash);
        default:
          throw outcome.error;
      }
    } finally {
      watch?.close();
    }
  }

  /** @throws ApiError `request_in_progress` while this process issues with the idempotency key. */
  async #exclusively<T>(request: IssueRequest, work: () => Promise<T>): Promise<T> {
    const key = this.#requireNotInFlight(request);
    this.#inFlight.add(key);
    try {
      return await work();
    } finally {
      this.#inFlight.delete(key);
    }
  }

  /** @returns the key as `#inFlight` has it. @throws ApiError `request_in_progress`. */
  #requireNotInFlight(request: IssueRequest): string {
    const key = `${request.business.id} ${request.idempotency_key}`;
    if (this.#inFlight.has(key)) {
      throw new ApiError('request_in_progress');
    }
    return key;
  }

  /** @returns how it has ended, and the watch of outcomes that are waited for; the caller closes it. */
  async #issueNew(
    request: IssueRequest,
    hash: Buffer,
  ): Promise<{ draft: Draft; outcome: Outcome; watch: DocumentWatch | undefined }> {
    const draft = await this.#prepare(request, hash);
    const { business_id, id } = draft.document;
    setLogContext({ document_id: id });
    const watch = this.outcomes.watch(draft);
    const outcome = await this.queue.run(draft);
    if (outcome.kind === 'existing' || outcome.kind === 'refused') {
      this.cards.release({ business_id, document_id: id });
    }
    return { draft, outcome, watch };
  }

  async #replay(row: DocumentRow, hash: Buffer): Promise<IssueReply> {
    setLogContext({ document_id: row.id });
    if (!row.body_sha256.equals(hash)) {
      throw new ApiError('idempotency_key_reused');
    }
    return toReply(row, await this.outcomes.loadForReplay(row), true);
  }

  /** Decides everything that does not depend on the series. The customer's card is reserved last: every refusal comes before it. */
  async #prepare(request: IssueRequest, hash: Buffer): Promise<Draft> {
    const business = this.threshold.appliedTo(request.business);
    // From here on: the hash of the request is of what was sent.
    const body = storedTexts(request.body);
    const checked = await this.checks.check({ ...request, body });
    const id = timeOrderedId();
    const {
      customer,
      changes: customer_changes,
      payment_terms,
    } = await this.cards.reserve({ business_id: business.id, document_id: id }, body.customer);
    const source = checked.source?.reference ?? null;
    const terms = termsOf(business, payment_terms);
    const { withheld } = request;
    const document = unnumberedDocument({
      ...{ ...checked, id, body, business, customer, terms, source, withheld },
    });
    return {
      request: { ...request, business, body },
      body_sha256: hash,
      document,
      totals: checked.totals,
      terms,
      customer_changes,
      attempts: 0,
      // Beside the wait for the series and the rendering, so that it takes no time of its own.
      recipient: this.recipients.check(document, business),
      context: currentContext() ?? newContext(issueDocument.timeoutMs),
    };
  }

  #log({ row, artifact }: Extract<Outcome, { kind: 'issued' }>): void {
    const { business_id, id, type, number } = row;
    const { render_ms, sign_ms, size_bytes } = artifact;
    this.logger.info(
      { business_id, document_id: id, type, number, render_ms, sign_ms, size_bytes },
      'document issued',
    );
  }
}

function toReply(row: DocumentRow, outcomes: ReplyOutcomes, replayed: boolean): IssueReply {
  const document = toDocument(row);
  const { donation, ...others } = outcomes;
  return {
    document,
    // The state at the time of issue, whatever has happened since: a replay returns what the first reply returned.
    state: {
      status: statusAtIssue(row.type, fromShekels(document.totals.total)),
      paid: toShekels(document.payments.reduce((sum, payment) => sum + fromShekels(payment.amount), 0n)),
      allocation_number: outcomes.allocation.number,
      ...(donation && { donation }),
      cancelled_at: null,
    },
    ...others,
    warnings: row.warnings ?? [],
    replayed,
  };
}
