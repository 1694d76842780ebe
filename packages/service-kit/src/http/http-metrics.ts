import { Injectable } from '@nestjs/common';
import { ConcurrencyLimiter } from '../concurrency/concurrency-limiter.js';
import { type Counter, type Histogram, Metrics, secondsSince } from '../process/metrics.js';

/** The methods of the routes; any other method shares one label, since callers can invent methods. */
const methods = new Set(['GET', 'HEAD', 'POST']);

/** A method as a label or in the name of a span. */
export function methodLabel(method: string): string {
  return methods.has(method) ? method : 'other';
}

/** Rate, errors and durations of HTTP requests. */
@Injectable()
export class HttpMetrics {
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'method' | 'route'>;
  readonly #rejected: Counter;

  constructor(private readonly metrics: Metrics) {
    this.#requests = metrics.counter('pinkas_http_requests_total', 'HTTP requests by response status.', [
      'method',
      'route',
      'status',
    ]);
    this.#durations = metrics.histogram(
      'pinkas_http_request_duration_seconds',
      'Seconds from the head of an HTTP request to the end of its response.',
      ['method', 'route'],
    );
    this.#rejected = metrics.counter(
      'pinkas_http_requests_rejected_total',
      'HTTP requests that were rejected because the process was full.',
    );
  }

  /** Bounds the requests in flight, and counts those that it rejects; once. */
  limiter(inFlightMax: number): ConcurrencyLimiter {
    const limiter = new ConcurrencyLimiter(inFlightMax, () => this.rejected());
    this.metrics.gauge(
      'pinkas_http_requests_in_flight',
      'HTTP requests that count towards the limit of the process and are in flight.',
      async () => limiter.inFlight,
    );
    return limiter;
  }

  /** Counts a request that was rejected because the process was full. */
  rejected(): void {
    this.#rejected.inc();
  }

  /**
   * Counts a request whose response has ended.
   * @param route the template of the route, such as `/v1/documents/:id`; undefined where there is none.
   * @param startedMs the start of the request, by `performance.now()`.
   */
  completed(request: { method: string; route: string | undefined }, status: number, startedMs: number): void {
    const method = methodLabel(request.method);
    const route = request.route ?? 'unknown';
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ method, route }, secondsSince(startedMs));
  }
}
