import { Injectable } from '@nestjs/common';
import { type Counter, InjectLogger, type Logger, Metrics } from '@pinkas/service-kit';
import type { DocumentKey } from '../store/artifact.repository.js';

/** Compares the first PDF of a document with the hash that issuing has entered into its book, before one is sent. */
@Injectable()
export class BookHash {
  readonly #mismatches: Counter;

  constructor(
    @InjectLogger() private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.#mismatches = metrics.counter(
      'pinkas_artifact_mismatches_total',
      'Attempts to publish or send a PDF that were refused because the first one is not that whose hash is in the book.',
    );
  }

  /** @param expected absent: the caller sends nothing. @throws Error where they differ: none of the document is sent. */
  check({ document_id }: DocumentKey, stored: Buffer, expected: string | undefined): void {
    const actual = stored.toString('hex');
    if (expected !== undefined && actual !== expected) {
      this.#mismatches.inc();
      this.logger.error({ document_id, stored: actual, expected }, 'artifact differs from the book');
      throw new Error(`revision 1 has the hash ${actual}, and the book ${expected}`);
    }
  }
}
