import type { IncomingMessage } from 'node:http';
import { modeRules, readMode } from '../http.js';
import type { Clock } from './clock.js';

/**
 * What happens to calls: `ok`; `refuse` (the number is refused in substance, 460, or with `code`; at the login page the owner
 * declines); `error` (500 of the service); `hang` (no answer); `cut` (the connection ends without an answer); `lost` (the same,
 * after the call was carried out); `malformed` (200 with half a body); `foreign` (answered with the number of another invoice);
 * `unauthorized` (401), `forbidden` (403), `not_found` (404), `rate` (429, with `retry_after` seconds), `unavailable` (503), all
 * of the gateway; `not_permitted` (406); `abroad` (a bare 403 before the gateway); `status` (any `status`); `wrong_client` (no
 * token is valid, and the token endpoint accepts no client, as where its secret was changed).
 */
const modeNames = [
  'ok',
  'refuse',
  'error',
  'hang',
  'cut',
  'lost',
  'malformed',
  'foreign',
  'unauthorized',
  'forbidden',
  'not_found',
  'rate',
  'unavailable',
  'not_permitted',
  'abroad',
  'status',
  'wrong_client',
] as const;

/** What can be called. `health` covers liveness, `information` both look-ups. */
const operationNames = [
  'authorize',
  'token',
  'approval',
  'decision',
  'information',
  'minimum',
  'donation',
  'transmission',
  'health',
] as const;

export type OperationName = (typeof operationNames)[number];

/** How calls are answered from now on. */
export interface Fault {
  readonly mode: (typeof modeNames)[number];
  /** How late the answer comes, in milliseconds. The call is carried out before: a caller who does not wait misses it. */
  readonly delay_ms: number;
  /** Whether the call is carried out before the fault, so that its answer is lost. */
  readonly granted: boolean;
  /** For how many calls it lasts; then it is as if it had never been set. Null: for all. */
  readonly times: number | null;
  /** For how long it lasts, by the simulator's clock. Null: for ever. */
  readonly for_ms: number | null;
  /** The one invoice or donation that it is for, before all others. Null: every one that has none of its own. */
  readonly invoice_id: string | null;
  /** The one operation that it is for. Null: every one except OAuth and health; of `wrong_client`, the token endpoint as well. */
  readonly operation: OperationName | null;
  /** Of `refuse`: 460 to 462 are answered with 200, any other with 400. */
  readonly code: number;
  /** Of `status`. */
  readonly status: number;
  /** Of `rate` and `unavailable`: seconds in Retry-After; null leaves the header out. */
  readonly retry_after: number | null;
}

const noFault: Fault = {
  mode: 'ok',
  delay_ms: 0,
  granted: false,
  times: null,
  for_ms: null,
  invoice_id: null,
  operation: null,
  code: 460,
  status: 500,
  retry_after: null,
};

const orNull = (rule: { wants: string; holds(value: unknown): boolean }) => ({
  wants: `${rule.wants}, or null`,
  holds: (value: unknown) => value === null || rule.holds(value),
});
const between = (low: number, high: number) => ({
  wants: `a whole number from ${low} to ${high}`,
  holds: (value: unknown) => Number.isInteger(value) && Number(value) >= low && Number(value) <= high,
});

const rules = {
  mode: modeRules.oneOf(modeNames),
  delay_ms: modeRules.delayMs,
  granted: modeRules.yesOrNo,
  times: orNull(between(1, 1_000_000)),
  for_ms: orNull(between(1, 1_000_000_000)),
  invoice_id: {
    wants: 'text of 1 to 50 characters, or null for every invoice',
    holds: (value: unknown) =>
      value === null || (typeof value === 'string' && value.length > 0 && value.length <= 50),
  },
  operation: orNull(modeRules.oneOf(operationNames)),
  code: between(400, 599),
  status: between(400, 599),
  retry_after: orNull(between(0, 1_000_000)),
  reset: modeRules.yesOrNo,
};

interface Set {
  fault: Fault;
  readonly until: number | null;
}

/** The faults in force: one for all, and one for each operation or invoice that has its own. */
export class Faults {
  readonly #sets = new Map<string, Set>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reads `POST /_mode`: the members of {@link Fault}, all of them optional. One with an `invoice_id` or an `operation` lasts
   * next to the others; `reset: true` clears them all first.
   * @returns the fault that was set.
   */
  async read(request: IncomingMessage): Promise<Fault> {
    const { reset, ...fault } = await readMode(request, { ...noFault, reset: false }, rules);
    if (reset) {
      this.#sets.clear();
    }
    const until = fault.for_ms === null ? null : this.#clock.now().getTime() + fault.for_ms;
    this.#sets.set(keyOf(fault), { fault, until });
    return fault;
  }

  /** The faults in force now. */
  shown(): Fault & { readonly by_invoice: readonly Fault[]; readonly by_operation: readonly Fault[] } {
    const all = [...this.#sets.keys()].flatMap((key) => this.#at(key) ?? []).map(({ fault }) => fault);
    return {
      ...(this.#at('')?.fault ?? noFault),
      by_invoice: all.filter(({ invoice_id }) => invoice_id !== null),
      by_operation: all.filter(({ invoice_id, operation }) => invoice_id === null && operation !== null),
    };
  }

  /** How a call is answered; counts it. */
  take(operation: OperationName, invoiceId: unknown): Fault {
    const isOfAll = !this.#isApart(operation);
    const keys = [
      `${operation} ${String(invoiceId)}`,
      ...(isOfAll ? [` ${String(invoiceId)}`] : []),
      `${operation} `,
      ...(isOfAll ? [''] : []),
    ];
    for (const key of keys) {
      const set = this.#at(key.trim() === '' ? '' : key);
      if (set) {
        this.#count(key.trim() === '' ? '' : key, set);
        return ofOperation(set.fault, operation);
      }
    }
    return noFault;
  }

  /** Whether an operation is left out of the fault for all. */
  #isApart(operation: OperationName): boolean {
    const hasWrongClient = this.#at('')?.fault.mode === 'wrong_client';
    return ['authorize', 'health', ...(hasWrongClient ? [] : ['token'])].includes(operation);
  }

  #at(key: string): Set | undefined {
    const set = this.#sets.get(key);
    if (set && set.until !== null && this.#clock.now().getTime() >= set.until) {
      this.#sets.delete(key);
      return undefined;
    }
    return set;
  }

  #count(key: string, set: Set): void {
    const { times } = set.fault;
    if (times === 1) {
      this.#sets.delete(key);
    } else if (times !== null) {
      this.#sets.set(key, { ...set, fault: { ...set.fault, times: times - 1 } });
    }
  }
}

/** What a wrong client shows of itself: its tokens are not valid, and it gets none. */
const ofOperation = (fault: Fault, operation: OperationName): Fault =>
  fault.mode === 'wrong_client' && operation !== 'token' ? { ...fault, mode: 'unauthorized' } : fault;

function keyOf({ operation, invoice_id }: Fault): string {
  return operation === null && invoice_id === null ? '' : `${operation ?? ''} ${invoice_id ?? ''}`;
}
