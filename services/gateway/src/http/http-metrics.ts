import { Injectable } from '@nestjs/common';
import { type Counter, type Histogram, Metrics, secondsSince } from '@pinkas/service-kit';

/** The methods of our routes; whatever else comes is one label, since callers invent methods. */
const methods = new Set(['GET', 'HEAD', 'POST']);

/** A method as a label or in the name of a span. */
export function methodLabel(method: string): string {
  return methods.has(method) ? method : 'other';
}

/** Rate, errors and durations of the HTTP interface and the pages. */
@Injectable()
export class HttpMetrics {
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'method' | 'route'>;
  readonly #turnedAway: Counter;

  constructor(private readonly metrics: Metrics) {
    this.#requests = metrics.counter(
      'pinkas_http_requests_total',
      'HTTP requests by the status of the answer.',
      ['method', 'route', 'status'],
    );
    this.#durations = metrics.histogram(
      'pinkas_http_request_duration_seconds',
      'From the head of an HTTP request to the end of its answer.',
      ['method', 'route'],
    );
    this.#turnedAway = metrics.counter(
      'pinkas_http_requests_turned_away_total',
      'HTTP requests that were refused at once since the process was full.',
    );
  }

  /** Tells how many requests are in hand; once. */
  inHand(read: () => number): void {
    this.metrics.gauge(
      'pinkas_http_requests_in_flight',
      'HTTP requests with a key that are in hand.',
      async () => read(),
    );
  }

  /** The process was full. */
  turnedAway(): void {
    this.#turnedAway.inc();
  }

  /**
   * A request has its answer.
   * @param route the template of the route, such as `/v1/documents/:id`; undefined where there is none.
   * @param startedMs when it came, by `performance.now()`.
   */
  answered(request: { method: string; route: string | undefined }, status: number, startedMs: number): void {
    const method = methodLabel(request.method);
    const route = request.route ?? 'unknown';
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ method, route }, secondsSince(startedMs));
  }
}
