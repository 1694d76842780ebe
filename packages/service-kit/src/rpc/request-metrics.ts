import type { ApiError } from '../process/api-error.js';
import { type Counter, type Histogram, type Metrics, secondsSince } from '../process/metrics.js';

/**
 * The outcome of a request: `refused` is the caller's error, `unavailable` is transient (a server that is unavailable, a full process),
 * `failed` is an error of this service.
 */
type RequestOutcome = 'ok' | 'refused' | 'unavailable' | 'failed';

/** The outcome that an error code means. */
export function outcomeOf({ status }: ApiError): Exclude<RequestOutcome, 'ok'> {
  if (status < 500) {
    return 'refused';
  }
  return status === 500 ? 'failed' : 'unavailable';
}

/** Rate, errors and durations of the contracts that one process handles. */
export class RequestMetrics {
  readonly #requests: Counter<'contract' | 'outcome'>;
  readonly #durations: Histogram<'contract'>;
  readonly #rejected: Counter;

  /** @param inFlight how many requests are in flight now. */
  constructor(metrics: Metrics, inFlight: () => number) {
    this.#requests = metrics.counter(
      'pinkas_requests_total',
      'RPC requests by outcome: ok, refused, unavailable (transient) or failed.',
      ['contract', 'outcome'],
    );
    this.#durations = metrics.histogram(
      'pinkas_request_duration_seconds',
      'Duration of RPC requests, whatever their outcome.',
      ['contract'],
    );
    this.#rejected = metrics.counter(
      'pinkas_requests_rejected_total',
      'RPC requests rejected because the process was at its concurrency limit.',
    );
    metrics.gauge('pinkas_requests_in_flight', 'RPC requests in flight.', async () => inFlight());
  }

  /**
   * A request was answered.
   * @param startedMs when it arrived, by `performance.now()`.
   */
  answered(contract: string, outcome: RequestOutcome, startedMs: number): void {
    this.#requests.inc({ contract, outcome });
    this.#durations.observe({ contract }, secondsSince(startedMs));
  }

  /** The process was at its limit. */
  rejected(): void {
    this.#rejected.inc();
  }
}
