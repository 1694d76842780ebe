import type { IncomingMessage, ServerResponse } from 'node:http';
import { shownMax } from '../http.js';
import type { Clock } from './clock.js';

/** A call as `GET /_calls` shows it. */
export interface ReceivedCall {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** How it authenticated: Basic, Bearer or null. */
  readonly auth: string | null;
  /** The keys of the body or the query, also where the values are secret. */
  keys: readonly string[];
  /** What was sent; of a token request only the kind of grant. */
  body: unknown;
  /** Null until it is answered, and for ever where it was not. */
  status: number | null;
  /** Which row of the papers the answer follows. */
  source: string | null;
}

/** What callers did: for proofs that a number was asked for once, a token refreshed once, and that no retry storm began. */
export class CallLog {
  readonly #calls: ReceivedCall[] = [];
  readonly #counts = new Map<string, Record<string, number>>();
  readonly #tokenUses: object[] = [];
  readonly #lookUps: object[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  receive(request: IncomingMessage, path: string, response: ServerResponse): ReceivedCall {
    const received: ReceivedCall = {
      at: this.#at(),
      path,
      auth: /^(Basic|Bearer) /i.exec(request.headers.authorization ?? '')?.[1] ?? null,
      keys: [],
      body: null,
      status: null,
      source: null,
    };
    keep(this.#calls, received);
    response.once('close', () => {
      received.status = response.writableFinished ? response.statusCode : null;
      const counts = this.#counts.get(path) ?? {};
      const outcome = String(received.status ?? 'no answer');
      this.#counts.set(path, { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 });
    });
    return received;
  }

  tokenUsed(use: {
    readonly grant_type: string | null;
    readonly client_id: string;
    readonly given: boolean;
  }): void {
    keep(this.#tokenUses, { at: this.#at(), ...use });
  }

  lookedUp(lookUp: {
    readonly invoice_reference_number: string | null;
    readonly invoice_id: string | null;
    readonly found: boolean;
  }): void {
    keep(this.#lookUps, { at: this.#at(), ...lookUp });
  }

  shown() {
    return { calls: this.#calls, look_ups: this.#lookUps, token_uses: this.#tokenUses };
  }

  /** Calls by path and status, since the start. */
  counts(): object {
    return Object.fromEntries(this.#counts);
  }

  #at(): string {
    return this.#clock.now().toISOString();
  }
}

function keep<Entry>(entries: Entry[], entry: Entry): void {
  entries.push(entry);
  if (entries.length > shownMax) {
    entries.shift();
  }
}
