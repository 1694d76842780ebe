import { Controller } from '@nestjs/common';
import { issueDocument, type ReplyOf, type RequestOf, timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael, fromShekels, statusAtIssue, toShekels } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  currentContext,
  type DocumentWatch,
  InjectClock,
  InjectLogger,
  type Logger,
  newContext,
  Operation,
  type OutboxTransaction,
  setLogContext,
  toApiError,
} from '@pinkas/service-kit';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables, ReplyOutcomes } from '../document/document.tables.js';
import { toDocument } from '../document/document-row.js';
import { paymentsSum } from '../document/document-rules.js';
import { ClockCheck } from '../health/clock-check.js';
import { HistoryCheck } from '../health/history-check.js';
import { IssuingMetrics } from '../health/issuing-metrics.js';
import { lockSources, settleSources } from '../settle/source-document.js';
import { CustomerCards } from './customer-cards.js';
import { DocumentChecks } from './document-checks.js';
import type { Draft } from './draft.js';
import { DraftRendering, type LockedRows, type RenderedDraft } from './draft-rendering.js';
import { GroupCommit, type IssueResult, type IssueResults, type IssueTogether } from './group-commit.js';
import {
  type IdempotencyKey,
  IdempotencyKeys,
  idempotencyKeyOf,
  issuedDocuments,
  lockKeys,
  requireSameRequest,
} from './idempotency-keys.js';
import { insertIssued, type LockedSeries, lockSeries, seriesOf } from './issue.repository.js';
import { IssueOutcomes } from './issue-outcomes.js';
import { closedEvents, issuedEvents, recordPersons, storeSetOffsOf, withRows } from './issued-records.js';
import { RecipientChecks } from './recipient-checks.js';
import { warningsOf } from './warnings.js';

type Request = RequestOf<typeof issueDocument>;
type Reply = ReplyOf<typeof issueDocument>;
type Trx = OutboxTransaction<IssuingTables>;
/** A document of this transaction, as it is committed. */
type Issued = Omit<Extract<IssueResult, { kind: 'issued' }>, 'kind'> & { draft: Draft };

/**
 * Issues the next document of a series, or returns the one that the idempotency key has issued: from top to bottom, in the order in
 * which it happens. On its way a document is a `request`, a `draft` (checked, without a number), `numbered`, `rendered`, and a `row`.
 *
 * The number is the series row, locked in the transaction that inserts the document; the PDF is rendered inside that transaction, so
 * a failure never uses a number.
 *
 * Locks are taken in this order: the idempotency keys (only tried), the series, the sources by their id, the trail, the day's counts
 * by their API key, the book, the sums. A cancellation locks its document, the trail, the book and the sums, in this order as well, so
 * transactions never wait for one another in a circle.
 */
@Controller()
export class IssueDocument {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly checks: DocumentChecks,
    private readonly cards: CustomerCards,
    private readonly recipients: RecipientChecks,
    private readonly outcomes: IssueOutcomes,
    private readonly groups: GroupCommit,
    @InjectClock() private readonly clock: Clock,
    private readonly clocks: ClockCheck,
    private readonly history: HistoryCheck,
    private readonly rendering: DraftRendering,
    private readonly metrics: IssuingMetrics,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  @Operation(issueDocument)
  async handle(request: Request): Promise<Reply> {
    const { type } = request.body;
    try {
      const reply = await this.#issueOnce(request);
      this.metrics.countRequest(type, reply.replayed ? 'replayed' : 'issued');
      return reply;
    } catch (error) {
      this.metrics.countRequest(type, toApiError(error).code);
      throw error;
    }
  }

  async #issueOnce(request: Request): Promise<Reply> {
    const key = idempotencyKeyOf(request);
    const result = await this.keys.once(key, () => this.#issue(request, key));
    // It is committed: another request with the key is a replay, and waiting for the outcomes holds up none.
    switch (result.kind) {
      case 'issued':
        this.#log(result);
        return toReply(
          result.row,
          await this.outcomes.awaitForNew(result.row, result.draft, result.watch),
          false,
        );
      case 'existing':
        setLogContext({ document_id: result.row.id });
        requireSameRequest(result.row, key);
        return toReply(result.row, await this.outcomes.loadForReplay(result.row), true);
      default:
        throw result.error;
    }
  }

  /** @returns how it has ended; of an issued document, the watch of outcomes that are waited for, which is then to be closed. */
  async #issue(
    request: Request,
    key: IdempotencyKey,
  ): Promise<IssueResult & { draft: Draft; watch: DocumentWatch | undefined }> {
    const draft = await this.#draft(request, key);
    const { business_id, id } = draft.document;
    setLogContext({ document_id: id });
    const watch = this.outcomes.watch(draft);
    const result = await this.groups.commit(draft, this.#issueTogether);
    if (result.kind !== 'issued') {
      watch?.close();
    }
    if (result.kind === 'existing' || result.kind === 'refused') {
      this.cards.release({ business_id, document_id: id });
    }
    return { ...result, draft, watch };
  }

  async #draft(request: Request, key: IdempotencyKey): Promise<Draft> {
    const { card, ...checked } = await this.checks.check(request, (document_id, customer) =>
      this.cards.reserve({ business_id: key.business_id, document_id }, customer),
    );
    return {
      ...checked,
      key,
      customer_changes: card.changes,
      attempts: 0,
      // During the wait for the series and the rendering, so that it takes no time of its own.
      recipient: this.recipients.check(checked.document, checked.request.business),
      context: currentContext() ?? newContext(issueDocument.timeoutMs),
    };
  }

  /** The transaction for drafts at the front of the queue of a series. It ends before the nearest deadline of them. */
  readonly #issueTogether: IssueTogether = async (trx, drafts, holdsLocks) => {
    const results: IssueResults = new Map();
    const withoutResult = () => drafts.filter((draft) => !results.has(draft));
    const refuse = (draft: Draft, error: unknown) => results.set(draft, { kind: 'refused', error });

    for (const draft of await this.#lockKeys(trx, drafts)) {
      refuse(draft, new ApiError('request_in_progress'));
    }
    const [first, ...others] = withoutResult();
    if (!first) {
      return results;
    }
    const { series, today } = await this.#lockSeries(trx, [first, ...others]);
    holdsLocks();

    // Another replica may have issued with a key while its request waited for the series.
    for (const [draft, row] of await issuedDocuments(trx, withoutResult(), series.issuedIds)) {
      results.set(draft, { kind: 'existing', row });
    }
    const settling = withoutResult().map(({ document, request }) => ({ ...document, settles: request }));
    const sources = await lockSources(trx, series.business_id, settling);

    // From here on the numbers are known, and no one else can take them. What is neither rendered nor refused by the end waits again.
    const locked = { series, sources, today };
    const { rendered, refused } = await this.rendering.numberAndRender(
      withoutResult(),
      locked,
      endOf(drafts),
    );
    for (const { draft, error } of refused) {
      refuse(draft, error);
    }
    for (const { draft, row, artifact } of await enterInBook(trx, locked, rendered)) {
      results.set(draft, { kind: 'issued', row, artifact });
    }
    return results;
  };

  /**
   * Locks the idempotency keys of drafts. @returns the drafts whose key another replica holds.
   * @throws ApiError `engine_error` where the clock is wrong, or the database has lost documents.
   */
  async #lockKeys(trx: Trx, drafts: readonly Draft[]): Promise<Draft[]> {
    const keys = drafts.map(({ key }) => key);
    const { areLocked, timeline } = await this.clocks.compare(() =>
      lockKeys(trx, keys, lockWaitMs(deadlineOf(drafts))),
    );
    await this.history.requireComplete(trx, timeline);
    return drafts.filter((_, index) => !areLocked[index]);
  }

  /** Locks the series of drafts. What is read with it is of the day on which its lock was acquired. */
  async #lockSeries(
    trx: Trx,
    drafts: readonly [Draft, ...Draft[]],
  ): Promise<{ series: LockedSeries; today: string }> {
    const { business, body } = drafts[0].request;
    const lock = (day: string) =>
      lockSeries(trx, seriesOf(business, body.type), {
        idempotency_keys: drafts.map(({ key }) => key.idempotency_key),
        key_ids: drafts.flatMap(({ request: { issuer } }) => (issuer.kind === 'key' ? [issuer.id] : [])),
        day,
      });
    const dayBefore = dayInIsrael(this.clock.now());
    const series = await lock(dayBefore);
    const today = dayInIsrael(this.clock.now());
    return { series: today === dayBefore ? series : await lock(today), today };
  }

  #log({ row, artifact }: Pick<Issued, 'row' | 'artifact'>): void {
    const { business_id, id, type, number } = row;
    const { render_ms, sign_ms, size_bytes } = artifact;
    this.logger.info(
      { business_id, document_id: id, type, number, render_ms, sign_ms, size_bytes },
      'document issued',
    );
  }
}

/**
 * Settles the sources and inserts the documents with their events. The insert comes last: it locks the day's counts and the book,
 * which other series of the API keys and of the business wait for, and the commit follows at once.
 * @throws ApiError `daily_limit_reached` where other series have used up the count of a key since the series was locked.
 */
async function enterInBook(
  trx: Trx,
  locked: LockedRows,
  rendered: readonly RenderedDraft[],
): Promise<Issued[]> {
  const { series, sources, today } = locked;
  const warnings = await warningsOf(trx, locked, rendered);
  const entered = withRows(locked, rendered, warnings);
  const [first, ...others] = entered.map(({ row }) => row);
  if (!first) {
    return [];
  }
  const settling = rendered.map(({ draft: { document, totals, request }, setOffs }) => ({
    source_id: document.based_on?.id ?? null,
    total: totals.total,
    paid: paymentsSum(request.body),
    setOffs,
  }));
  const { closed, debts } = await settleSources(trx, series, sources, settling);
  await storeSetOffsOf(trx, sources, rendered);
  await recordPersons(trx, rendered);
  const events = [
    ...entered.flatMap((draft) => issuedEvents(trx, draft)),
    ...closedEvents(trx, closed, rendered),
  ];
  const daily = { day: today, limits: dailyLimitsOf(rendered) };
  const positions = await insertIssued(trx, [first, ...others], { events, debts }, daily);
  if (!positions) {
    throw new ApiError('daily_limit_reached');
  }
  return entered.map(({ draft, row, artifact }) => {
    const position = positions.get(row.id);
    if (position === undefined) {
      throw new Error('inserted document without a position');
    }
    return { draft, row: { ...row, position }, artifact };
  });
}

/** How many documents the API keys of drafts may issue on a day, by their id. */
function dailyLimitsOf(rendered: readonly RenderedDraft[]): Record<string, number> {
  return Object.fromEntries(
    rendered.flatMap(({ draft: { request } }) =>
      request.issuer.kind === 'key' ? [[request.issuer.id, request.issuer.daily_documents]] : [],
    ),
  );
}

/** The nearest deadline. */
const deadlineOf = (drafts: readonly Draft[]) => Math.min(...drafts.map(({ context }) => context.deadlineMs));

/** How long each lock of the transaction may be waited for, in whole milliseconds; zero would mean for ever. */
function lockWaitMs(deadlineMs: number): number {
  return Math.max(1, Math.floor(deadlineMs - performance.now() - timeLimitsMs.afterLocks));
}

/** When the rendering of drafts ends at the latest, on the clock of `performance`: several have the time of one together. */
function endOf(drafts: readonly Draft[]): number {
  return Math.min(
    deadlineOf(drafts) - timeLimitsMs.replyReserve,
    drafts.length === 1 ? Number.POSITIVE_INFINITY : performance.now() + timeLimitsMs.renderTogether,
  );
}

function toReply(row: DocumentRow, outcomes: ReplyOutcomes, replayed: boolean): Reply {
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
