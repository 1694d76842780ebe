import { Injectable } from '@nestjs/common';
import type { DocumentType, ErrorCode } from '@pinkas/contracts';
import { type Counter, type Histogram, Metrics, secondsSince } from '@pinkas/service-kit';

/** What an operator and an owner want to know of the book as it grows. */
@Injectable()
export class IssuingMetrics {
  readonly #asked: Counter<'type' | 'outcome'>;
  readonly #locked: Histogram;

  constructor(metrics: Metrics) {
    this.#asked = metrics.counter(
      'pinkas_documents_total',
      'Documents that were asked for by what came of it: issued, replayed, or the code of the refusal.',
      ['type', 'outcome'],
    );
    this.#locked = metrics.histogram(
      'pinkas_number_lock_seconds',
      'How long a series was locked for a number: from getting the lock to the end of the transaction.',
    );
  }

  /** A request for a document was answered. */
  asked(type: DocumentType, outcome: 'issued' | 'replayed' | ErrorCode): void {
    this.#asked.inc({ type, outcome });
  }

  /**
   * A transaction that held the lock of a series has ended.
   * @param lockedAtMs when it got the lock, by `performance.now()`.
   */
  released(lockedAtMs: number): void {
    this.#locked.observe(secondsSince(lockedAtMs));
  }
}
