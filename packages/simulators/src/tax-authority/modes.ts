import type { IncomingMessage } from 'node:http';
import { modeRules, readMode } from '../http.js';

/**
 * What happens to requests for numbers and look-ups (never to OAuth2): `ok`; `refuse` (HTTP 200, code 460; look-ups are answered);
 * `error` (HTTP 500); `hang` (no answer, and nothing is granted); `malformed` (HTTP 200 with half a JSON body, and nothing is
 * granted); `lost` (granted, and the connection cut without an answer); `foreign` (answered with the number of another
 * invoice); `unauthorized` (HTTP 401, whatever the token); `forbidden` (HTTP 403).
 */
const modeNames = [
  'ok',
  'refuse',
  'error',
  'hang',
  'malformed',
  'lost',
  'foreign',
  'unauthorized',
  'forbidden',
] as const;

/** How requests are answered from now on. */
export interface Mode {
  readonly mode: (typeof modeNames)[number];
  /** How late the answer comes, in milliseconds. The number is granted before: a caller who does not wait misses it. */
  readonly delay_ms: number;
  /** How many requests it holds for; then it is as if it had never been set. Null: for all. */
  readonly times: number | null;
  /** The one invoice that it holds for, before what holds for all. Null: every invoice that has none of its own. */
  readonly invoice_id: string | null;
}

const noFailure: Mode = { mode: 'ok', delay_ms: 0, times: null, invoice_id: null };

const rules = {
  mode: modeRules.oneOf(modeNames),
  delay_ms: modeRules.delayMs,
  times: {
    wants: 'a whole number from 1, or null for always',
    holds: (value: unknown) => value === null || (modeRules.count.holds(value) && value !== 0),
  },
  invoice_id: {
    wants: 'text of 1 to 50 characters, or null for every invoice',
    holds: (value: unknown) =>
      value === null || (typeof value === 'string' && value.length > 0 && value.length <= 50),
  },
  reset: modeRules.yesOrNo,
};

/** The modes in force: one for all, and one for each invoice that has its own. */
export class Modes {
  #forAll = noFailure;
  readonly #forInvoice = new Map<string, Mode>();

  /**
   * Reads `POST /_mode`: `{ mode, delay_ms, times, invoice_id, reset }`, all of them optional. One with an `invoice_id` holds
   * beside the others; `reset: true` clears them all first.
   * @returns the mode that was set.
   */
  async read(request: IncomingMessage): Promise<Mode> {
    const { reset, ...mode } = await readMode(request, { ...noFailure, reset: false }, rules);
    if (reset) {
      this.#forAll = noFailure;
      this.#forInvoice.clear();
    }
    this.#set(mode);
    return mode;
  }

  /** The modes in force now. */
  shown(): Mode & { readonly by_invoice: readonly Mode[] } {
    return { ...this.#forAll, by_invoice: [...this.#forInvoice.values()] };
  }

  /** How a request about this invoice is answered; counts it. */
  take(invoiceId: unknown): Mode {
    const mode = this.#forInvoice.get(String(invoiceId)) ?? this.#forAll;
    if (mode.times !== null) {
      if (mode.times > 1) {
        this.#set({ ...mode, times: mode.times - 1 });
      } else if (mode.invoice_id === null) {
        this.#forAll = noFailure;
      } else {
        this.#forInvoice.delete(mode.invoice_id);
      }
    }
    return mode;
  }

  #set(mode: Mode): void {
    if (mode.invoice_id === null) {
      this.#forAll = mode;
    } else {
      this.#forInvoice.set(mode.invoice_id, mode);
    }
  }
}
