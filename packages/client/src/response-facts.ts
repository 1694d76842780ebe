/** What the headers of an answer say, and how it came about. */
export interface ResponseFacts {
  /** The HTTP status. */
  readonly status: number;
  /** The X-Request-Id, to quote in a support request; null when something other than the API responded. */
  readonly requestId: string | null;
  /** Whether the document was issued by an earlier request with the same key. */
  readonly replayed: boolean;
  /** The Idempotency-Key that was sent, or null. */
  readonly idempotencyKey: string | null;
  /** How often the request was sent. */
  readonly attempts: number;
  /** What is left of this minute's requests; null where the answer does not say. */
  readonly rateLimit: {
    readonly limit: number;
    readonly remaining: number;
    readonly resetSeconds: number;
  } | null;
}

/** Reads the facts from an answer. */
export function responseFacts(
  { status, headers }: Response,
  idempotencyKey: string | null,
  attempts: number,
): ResponseFacts {
  const count = (name: string) => Number.parseInt(headers.get(name) ?? '', 10);
  const rateLimit = {
    limit: count('ratelimit-limit'),
    remaining: count('ratelimit-remaining'),
    resetSeconds: count('ratelimit-reset'),
  };
  return {
    status,
    requestId: headers.get('x-request-id'),
    replayed: headers.get('idempotent-replayed') === 'true',
    idempotencyKey,
    attempts,
    rateLimit: Object.values(rateLimit).every(Number.isInteger) ? rateLimit : null,
  };
}
