import { Injectable } from '@nestjs/common';
import { type IssuedDocument, type ReplyOf, renderArtifact, timeLimitsMs } from '@pinkas/contracts';
import { requiresNumber } from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, InjectConfig, RpcClient, withContext } from '@pinkas/service-kit';
import { allocationOptions, type IssuingConfig } from '../config.js';
import type { DocumentRow } from '../document/document.repository.js';
import { type DecidedOutcomes, decideOutcomes } from '../document/known-outcomes.js';
import { type LeftToPay, leftToPayOf, settledWith } from '../settle/set-off-rules.js';
import { checkLockedSource, type SetOffEffect } from '../settle/source-document.js';
import { DocumentChecks } from './document-checks.js';
import type { Draft } from './draft.js';
import type { LockedSeries } from './issue.repository.js';

export type Artifact = ReplyOf<typeof renderArtifact>;

/** The rows that a transaction has locked, by which drafts are numbered. */
export interface LockedRows {
  series: LockedSeries;
  sources: ReadonlyMap<string, DocumentRow>;
  /** The day on which the series was locked. */
  today: string;
}

/** A draft with its number and instant, and the series after it. */
interface NumberedDraft {
  draft: Draft;
  document: IssuedDocument;
  /** What is set at once against documents, of its payments or as withheld. */
  setOffs: readonly SetOffEffect[];
  issuedAt: Date;
  seriesAfter: LockedSeries;
  /** What it leaves to pay of the sources. */
  leftAfter: LeftToPay;
}

/** A draft that can be inserted, with the outcomes of its document. */
export type RenderedDraft = NumberedDraft & { artifact: Artifact; outcomes: DecidedOutcomes };

/** How far a draft has come in one round: `refused` by a rule, or `failed` in its rendering. */
type Step =
  | ({ kind: 'rendered' } & RenderedDraft)
  | { kind: 'refused' | 'failed'; draft: Draft; error: unknown };

/** A timer may fire some milliseconds early. */
const timerToleranceMs = 10;

/** Gives drafts the next numbers of their locked series, in their order, and renders them at once. */
@Injectable()
export class DraftRendering {
  constructor(
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: IssuingConfig,
    private readonly rpc: RpcClient,
    private readonly checks: DocumentChecks,
  ) {}

  /**
   * Where a rendering fails, its draft is refused, and those behind it move up and are rendered again: no number is left out, and
   * every PDF shows the number of the book.
   * @param endMs the instant, on the clock of `performance`, at which it ends at the latest.
   * @returns the drafts to insert, in the order of their numbers, and the refused ones; the others were cut short.
   */
  async numberAndRender(
    drafts: readonly Draft[],
    locked: LockedRows,
    endMs: number,
  ): Promise<{ rendered: RenderedDraft[]; refused: { draft: Draft; error: unknown }[] }> {
    const rendered: RenderedDraft[] = [];
    const refused: { draft: Draft; error: unknown }[] = [];
    let remaining = drafts;
    while (remaining.length > 0 && performance.now() < endMs - timerToleranceMs) {
      const steps = await this.#round(
        remaining,
        { ...locked, ...stateAfter(locked, rendered.at(-1)) },
        endMs,
      );
      const failedAt = steps.findIndex(({ kind }) => kind === 'failed');
      const finalCount = failedAt === -1 ? steps.length : failedAt;
      for (const step of steps.slice(0, finalCount)) {
        if (step.kind === 'rendered') {
          rendered.push(step);
        } else {
          refused.push(step);
        }
      }
      // What a rule refuses behind a failure may pass in the next round, without the draft that failed.
      const behind = steps.slice(finalCount);
      for (const step of behind) {
        if (step.kind === 'failed' && !wasCutShort(step.draft, endMs)) {
          refused.push(step);
        }
      }
      remaining = behind
        .map(({ draft }) => draft)
        .filter((draft) => !refused.some((refusal) => refusal.draft === draft));
    }
    return { rendered, refused };
  }

  async #round(
    drafts: readonly Draft[],
    locked: LockedRows & { readonly left: LeftToPay },
    endMs: number,
  ): Promise<Step[]> {
    let { series, left } = locked;
    return Promise.all(
      drafts.map((draft): Step | Promise<Step> => {
        try {
          const numbered = withContext(draft.context, () => this.#number(draft, { ...locked, series, left }));
          ({ seriesAfter: series, leftAfter: left } = numbered);
          return this.#render(numbered, endMs);
        } catch (error) {
          return { kind: 'refused', draft, error };
        }
      }),
    );
  }

  /** Checks what depends on the source and the series, and gives the document its date, number and instant. */
  #number(
    draft: Draft,
    { series, sources, today, left }: LockedRows & { readonly left: LeftToPay },
  ): NumberedDraft {
    const { issuer } = draft.request;
    checkLockedSource(draft.document, sources);
    const { setOffs, left: leftAfter } = settledWith(draft, sources, left);
    const document = this.checks.checkInSeries(draft, series, today);
    const issuedAt = nextInstant(this.clock.now(), series.last_issued_at);
    const issuedToday = new Map(series.issuedToday);
    if (issuer.kind === 'key') {
      issuedToday.set(issuer.id, (issuedToday.get(issuer.id) ?? 0) + 1);
    }
    return {
      draft,
      setOffs,
      leftAfter,
      document: { ...document, number: series.next_number, issued_at: issuedAt.toISOString() },
      issuedAt,
      seriesAfter: {
        ...series,
        next_number: series.next_number + 1,
        last_date: document.date,
        last_issued_at: issuedAt,
        issuedToday,
      },
    };
  }

  async #render(numbered: NumberedDraft, endMs: number): Promise<Step> {
    const { draft, document } = numbered;
    const context = { ...draft.context, deadlineMs: Math.min(draft.context.deadlineMs, endMs) };
    draft.attempts += 1;
    const { business } = draft.request;
    const options = allocationOptions(this.config);
    const request = {
      document,
      business,
      attempt: draft.attempts,
      number_pending: requiresNumber(document, business, options),
    };
    try {
      const artifact = await withContext(context, () => this.rpc.call(renderArtifact, request));
      const outcomes = decideOutcomes(document, business, await draft.recipient, options);
      return { kind: 'rendered', ...numbered, artifact, outcomes };
    } catch (error) {
      return {
        kind: 'failed',
        draft,
        error: new ApiError('document_generation_failed', { cause: error }),
      };
    }
  }
}

/** The series and what is left to pay of the sources behind the drafts that are rendered so far. */
const stateAfter = ({ series, sources }: LockedRows, last: RenderedDraft | undefined) => ({
  series: last?.seriesAfter ?? series,
  left: last?.leftAfter ?? leftToPayOf(sources),
});

/** Whether a rendering ended with the time of its transaction, while its own draft has the time for another turn. */
function wasCutShort({ context }: Draft, endMs: number): boolean {
  const nowMs = performance.now();
  return nowMs >= endMs - timerToleranceMs && context.deadlineMs - nowMs >= timeLimitsMs.afterQueue;
}

/** The instant of issue. It never decreases along the numbers, though clocks differ between machines. */
function nextInstant(now: Date, last: Date | null): Date {
  return new Date(Math.max(now.getTime(), last?.getTime() ?? 0));
}
