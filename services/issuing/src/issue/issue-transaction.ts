import { Injectable } from '@nestjs/common';
import { type PreviewWarning, timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendTrail,
  type Clock,
  InjectClock,
  type OutboxTransaction,
  withContext,
} from '@pinkas/service-kit';
import { documentHash, stateOf } from '../chain/document-hash.js';
import { type DocumentRow, findById } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { toRow } from '../document/document-row.js';
import { paymentsSum } from '../document/document-rules.js';
import { ClockCheck } from '../health/clock-check.js';
import { HistoryCheck } from '../health/history-check.js';
import { recordSetOffs, storeSetOffs } from '../settle/record-set-offs.js';
import { lockSources, settleSources } from '../settle/source-document.js';
import type { Draft } from './draft.js';
import {
  type Artifact,
  DraftRendering,
  type LockedForDrafts,
  type RenderedDraft,
} from './draft-rendering.js';
import {
  type HashedDocumentRow,
  idempotencyKeyOf,
  insertIssued,
  type LockedSeries,
  lockKeysWithin,
  lockSeries,
} from './issue.repository.js';
import { warningsOf } from './issue-warnings.js';
import { closedEvents, issuedEvents } from './issued-events.js';

type Trx = OutboxTransaction<IssuingTables>;

/**
 * How a draft has ended: issued by this request, or earlier with the same idempotency key, or refused. `unknown`: all statements
 * succeeded, and the commit failed, which the server may have completed.
 */
export type Outcome =
  | { kind: 'issued'; row: DocumentRow; artifact: Artifact }
  | { kind: 'existing'; row: DocumentRow }
  | { kind: 'refused' | 'unknown'; error: unknown };
/** A draft without an outcome is to be issued by a later transaction. */
export type Outcomes = Map<Draft, Outcome>;

/** Drafts whose keys and series are locked. */
interface LockedDrafts {
  drafts: readonly Draft[];
  /** Those whose key another replica holds. */
  refused: readonly Draft[];
  /** Absent where all are refused. */
  locked: { series: LockedSeries; today: string } | undefined;
}

/**
 * The transaction that issues drafts of one series: lock, number and render, insert.
 *
 * Locks are taken in this order: the idempotency keys (only tried), the series, the sources by their id, the trail, the day's counts
 * by their API key, the book, the sums. A cancellation locks its document, the trail, the book and the sums, in this order as well, so
 * transactions never wait for one another in a circle.
 */
@Injectable()
export class IssueTransaction {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly clocks: ClockCheck,
    private readonly history: HistoryCheck,
    private readonly rendering: DraftRendering,
  ) {}

  /**
   * Locks the idempotency keys of the drafts and their series.
   * @throws ApiError `engine_error` where the clock is wrong, or the database has lost documents.
   */
  async lock(trx: Trx, drafts: readonly Draft[]): Promise<LockedDrafts> {
    const { areLocked, timeline } = await this.clocks.compare(() =>
      lockKeysWithin(
        trx,
        drafts.map(({ request }) => idempotencyKeyOf(request)),
        lockWaitMs(deadlineOf(drafts)),
      ),
    );
    await this.history.requireComplete(trx, timeline);
    const refused = drafts.filter((_, index) => !areLocked[index]);
    const [first, ...others] = drafts.filter((_, index) => areLocked[index]);
    return { drafts, refused, locked: first && (await this.#lockSeries(trx, first, [first, ...others])) };
  }

  /**
   * Issues locked drafts. It ends before the nearest deadline of them; several have the time of one rendering together.
   * @returns the outcomes, for after the transaction. Where none is `issued`, it must be rolled back.
   * @throws what one of the drafts may have caused; then none was issued.
   */
  async issue(trx: Trx, { drafts, refused: inProgress, locked }: LockedDrafts): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    const line = () => drafts.filter((draft) => !outcomes.has(draft));
    for (const draft of inProgress) {
      outcomes.set(draft, { kind: 'refused', error: new ApiError('request_in_progress') });
    }
    if (!locked) {
      return outcomes;
    }
    const { series, today } = locked;
    for (const draft of line()) {
      const id = series.issuedIds.get(draft.request.idempotency_key);
      if (id !== undefined) {
        outcomes.set(draft, { kind: 'existing', row: await existingDocument(trx, series.business_id, id) });
      }
    }
    const sources = await lockSources(
      trx,
      series.business_id,
      line().map(({ document, request }) => ({ ...document, settles: request })),
    );
    const base = { series, sources, today };
    const endMs = Math.min(
      deadlineOf(drafts) - timeLimitsMs.replyReserve,
      drafts.length === 1 ? Number.POSITIVE_INFINITY : performance.now() + timeLimitsMs.renderTogether,
    );
    const { rendered, refused } = await this.rendering.run(line(), base, endMs);
    for (const { draft, error } of refused) {
      outcomes.set(draft, { kind: 'refused', error });
    }
    for (const { draft, row, artifact } of await insert(trx, base, rendered)) {
      outcomes.set(draft, { kind: 'issued', row, artifact });
    }
    return outcomes;
  }

  /** Locks the series. What is read with it is of the day on which its lock was acquired. */
  async #lockSeries(
    trx: Trx,
    { request: { business, body } }: Draft,
    drafts: readonly Draft[],
  ): Promise<{ series: LockedSeries; today: string }> {
    const lock = (day: string) =>
      lockSeries(
        trx,
        { business_id: business.id, type: body.type, first_number: business.first_numbers[body.type] ?? 1 },
        {
          idempotency_keys: drafts.map(({ request }) => request.idempotency_key),
          key_ids: drafts.flatMap(({ request: { issuer } }) => (issuer.kind === 'key' ? [issuer.id] : [])),
          day,
        },
      );
    const dayBefore = dayInIsrael(this.clock.now());
    const series = await lock(dayBefore);
    const today = dayInIsrael(this.clock.now());
    return { series: today === dayBefore ? series : await lock(today), today };
  }
}

/** The nearest deadline. */
const deadlineOf = (drafts: readonly Draft[]) => Math.min(...drafts.map(({ context }) => context.deadlineMs));

/** How long each lock of the transaction may be waited for, in whole milliseconds; zero would mean for ever. */
function lockWaitMs(deadlineMs: number): number {
  return Math.max(1, Math.floor(deadlineMs - performance.now() - timeLimitsMs.afterLocks));
}

/** The document that an earlier holder of the idempotency key's lock has issued. */
async function existingDocument(trx: Trx, businessId: string, id: string): Promise<DocumentRow> {
  const row = await findById(trx, businessId, id);
  if (!row) {
    throw new Error('issued document not found');
  }
  return row;
}

/**
 * Updates the sources and inserts the documents with their events. The insert comes last: it locks the day's counts and
 * the book, which other series of the API keys and of the business wait for, and the commit follows at once.
 * @throws ApiError `daily_limit_reached` where other series have used up the count of a key meanwhile.
 */
async function insert(
  trx: Trx,
  locked: LockedForDrafts,
  rendered: readonly RenderedDraft[],
): Promise<{ draft: Draft; row: DocumentRow; artifact: Artifact }[]> {
  const { series, sources, today } = locked;
  const warnings = await warningsOf(trx, locked, rendered);
  const numbered = withRows(series, sources, rendered, warnings);
  const [first, ...others] = numbered.map(({ row }) => row);
  if (!first) {
    return [];
  }
  const { closed, debts } = await settleSources(
    trx,
    series,
    sources,
    rendered.map(({ draft, setOffs }) => ({
      source_id: draft.document.based_on?.id ?? null,
      total: draft.totals.total,
      paid: paymentsSum(draft.request.body),
      setOffs,
    })),
  );
  await insertSetOffs(trx, sources, rendered);
  await recordPersons(trx, rendered);
  const events = [
    ...numbered.flatMap((draft) => issuedEvents(trx, draft)),
    ...closedEvents(trx, closed, rendered),
  ];
  const positions = await insertIssued(
    trx,
    [first, ...others],
    { events, debts },
    {
      day: today,
      limits: Object.fromEntries(
        rendered.flatMap(({ draft: { request } }) =>
          request.issuer.kind === 'key' ? [[request.issuer.id, request.issuer.daily_documents]] : [],
        ),
      ),
    },
  );
  if (!positions) {
    throw new ApiError('daily_limit_reached');
  }
  return numbered.map(({ draft, row, artifact }) => {
    const position = positions.get(row.id);
    if (position === undefined) {
      throw new Error('inserted document without a position');
    }
    return { draft, row: { ...row, position }, artifact };
  });
}

/** Stores what receipts set at once against documents or withhold, each under the id of its receipt. */
async function insertSetOffs(
  trx: Trx,
  documents: LockedForDrafts['sources'],
  rendered: readonly RenderedDraft[],
): Promise<void> {
  for (const { draft, document, issuedAt, setOffs } of rendered) {
    if (setOffs.length > 0) {
      const { business_id, id, number, date } = document;
      const { issuer } = draft.request;
      const person_id = issuer.kind === 'person' ? issuer.id : undefined;
      const withheld = { on: date, confirmation: draft.request.withheld?.confirmation };
      const act = { business_id, documents, person_id, withheld };
      await storeSetOffs(trx, { ...act, id, at: issuedAt }, setOffs);
      await withContext(draft.context, () =>
        recordSetOffs(trx, { ...act, isRemoved: false, receipt: number }, setOffs),
      );
    }
  }
}

/** Documents that persons issue are in the trail, as is all that persons do. */
async function recordPersons(trx: Trx, rendered: readonly RenderedDraft[]): Promise<void> {
  for (const { draft, document } of rendered) {
    const { issuer } = draft.request;
    if (issuer.kind === 'person') {
      await withContext(draft.context, () =>
        appendTrail(trx, {
          business_id: document.business_id,
          action: 'document.issue',
          subject: document.id,
          actor: actorOf(issuer.id),
          before: null,
          after: { type: document.type, number: document.number },
        }),
      );
    }
  }
}

function rowOf(
  { draft, document, issuedAt, artifact, outcomes }: RenderedDraft,
  sources: LockedForDrafts['sources'],
  warnings: readonly PreviewWarning[],
) {
  const { request, body_sha256 } = draft;
  return toRow(document, {
    business: request.business,
    issuedAt,
    paid: paymentsSum(request.body),
    sourceCustomerId: sources.get(document.based_on?.id ?? '')?.customer_id,
    body_sha256,
    idempotency_key: request.idempotency_key,
    issuer: request.issuer,
    artifact_sha256: artifact.sha256,
    outcomes,
    warnings,
  });
}

/** Continues the chain of the locked series. */
function withRows(
  series: LockedSeries,
  sources: LockedForDrafts['sources'],
  rendered: readonly RenderedDraft[],
  warnings: readonly (readonly PreviewWarning[])[],
): (RenderedDraft & { row: HashedDocumentRow })[] {
  let previous = series.last_hash;
  return rendered.map((draft, index) => {
    const row = rowOf(draft, sources, warnings[index] ?? []);
    const hash = documentHash(row, stateOf(row), previous);
    previous = hash;
    return { ...draft, row: { ...row, hash } };
  });
}
