import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { type Counter, type Histogram, Metrics, secondsSince } from '@pinkas/service-kit';

/** The metrics of issuing. */
@Injectable()
export class IssuingMetrics {
  readonly #requests: Counter<'type' | 'outcome'>;
  readonly #transactions: Histogram;
  readonly #seriesAhead: Counter;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(
      'pinkas_documents_total',
      'Issue requests by document type and outcome: issued, replayed, or the error code.',
      ['type', 'outcome'],
    );
    this.#transactions = metrics.histogram(
      'pinkas_issue_transaction_seconds',
      'Duration of a transaction that issues documents of one series, which is locked while their PDFs are rendered.',
    );
    this.#seriesAhead = metrics.counter(
      'pinkas_series_ahead_total',
      'Requests without a date that were refused because the last date of the series is more than a day ahead of today.',
    );
  }

  countRequest(type: DocumentType, outcome: 'issued' | 'replayed' | ErrorCode): void {
    this.#requests.inc({ type, outcome });
  }

  countSeriesAhead(): void {
    this.#seriesAhead.inc();
  }

  /** @param startedAtMs when the transaction that has ended began, by `performance.now()`. */
  observeTransaction(startedAtMs: number): void {
    this.#transactions.observe(secondsSince(startedAtMs));
  }
}
