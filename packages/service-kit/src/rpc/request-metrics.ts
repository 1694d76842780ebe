import { type Counter, type Histogram, type Metrics, secondsSince } from '../metrics.js';
import type { Problem } from '../problem.js';

/**
 * What a request came to: `refused` is the caller's own affair, `unavailable` passes (a server that is away, a process that is
 * full), `failed` is a fault of ours.
 */
export type RequestOutcome = 'ok' | 'refused' | 'unavailable' | 'failed';

/** The class of a refusal. */
export function outcomeOf({ status }: Problem): Exclude<RequestOutcome, 'ok'> {
  if (status < 500) return 'refused';
  return status === 500 ? 'failed' : 'unavailable';
}

/** Rate, errors and durations of the contracts that one process answers. */
export class RequestMetrics {
  readonly #requests: Counter<'contract' | 'outcome'>;
  readonly #durations: Histogram<'contract'>;
  readonly #turnedAway: Counter;

  /** @param inFlight how many requests are worked on now. */
  constructor(metrics: Metrics, inFlight: () => number) {
    this.#requests = metrics.counter(
      'pinkas_requests_total',
      'Requests of other services by what they came to: ok, refused, unavailable (it passes) or failed.',
      ['contract', 'outcome'],
    );
    this.#durations = metrics.histogram(
      'pinkas_request_duration_seconds',
      'How long requests of other services took, whatever they came to.',
      ['contract'],
    );
    this.#turnedAway = metrics.counter(
      'pinkas_requests_turned_away_total',
      'Requests of other services that were refused at once since the process was full.',
    );
    metrics.gauge('pinkas_requests_in_flight', 'Requests of other services that are worked on.', async () =>
      inFlight(),
    );
  }

  /**
   * A request was answered.
   * @param startedMs when it came, by `performance.now()`.
   */
  answered(contract: string, outcome: RequestOutcome, startedMs: number): void {
    this.#requests.inc({ contract, outcome });
    this.#durations.observe({ contract }, secondsSince(startedMs));
  }

  /** The process was full. */
  turnedAway(): void {
    this.#turnedAway.inc();
  }
}
