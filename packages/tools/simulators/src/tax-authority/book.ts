import { createHash } from 'node:crypto';
import { shownMax } from '../http.js';
import { JsonLinesFile } from '../json-lines-file.js';
import { longNumber, nineDigits } from './answer.js';
import type { Clock } from './clock.js';

/** A request for a number, as far as the simulator reads it. */
export interface Invoice {
  readonly invoice_id: string;
  readonly invoice_type: number;
  readonly vat_number: number;
  readonly customer_vat_number: number;
  readonly invoice_reference_number: string;
  readonly invoice_date: string;
  readonly payment_amount: number;
  readonly vat_amount: number;
  readonly action?: number;
  readonly user_id?: number | null;
  readonly user_name?: string | null;
}

/** A number that was given. */
export interface Grant {
  readonly invoice_id: string;
  /** 26 digits, of which the last nine are printed. */
  readonly confirmation_number: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Absent in what earlier releases wrote, as is `invoice`. */
  readonly vat_number?: number;
  readonly action?: number;
  /** The request, for look-ups; of the newest grants only. */
  readonly invoice?: Invoice;
}

export const decisionNames = ['Cancel', 'Continue', 'FurtherObjection'] as const;

export type Decision = (typeof decisionNames)[number];

/** What is remembered of an invoice whose number was refused. */
export interface Refusal {
  readonly invoice_id: string;
  readonly vat_number: number;
  /** Oldest first; a granted reverse charge is one. */
  readonly decisions: readonly (Decision | 'ReverseCharge')[];
  /** The hearing was won: the next request is granted. */
  readonly won: boolean;
}

/** How often an invoice was asked for, and with how many different bodies. */
interface Asked {
  times: number;
  readonly bodies: Set<string>;
}

/** What the authority remembers: numbers and refusals by `invoice_id`. Both survive a restart. */
export class Book {
  readonly #grantFile: JsonLinesFile<Grant>;
  readonly #refusalFile: JsonLinesFile<Refusal>;
  readonly #grants = new Map<string, Grant[]>();
  readonly #newest: Grant[] = [];
  readonly #printed = new Set<string>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #asked = new Map<string, Asked>();
  readonly #clock: Clock;
  readonly #prefix: string | null;

  /**
   * @param folder where it is kept over restarts; undefined keeps it in memory only
   * @param prefix what comes before the nine digits; null: the instant
   */
  constructor(folder: string | undefined, clock: Clock, file = 'grants', prefix: string | null = null) {
    this.#clock = clock;
    this.#prefix = prefix;
    this.#grantFile = new JsonLinesFile(folder, `${file}.jsonl`);
    this.#refusalFile = new JsonLinesFile(folder, `${file}-refused.jsonl`);
    for (const grant of this.#grantFile.earlier) {
      this.#keep(grant);
    }
    for (const refusal of this.#refusalFile.earlier) {
      this.#refusals.set(refusal.invoice_id, refusal);
    }
  }

  /** Counts a request, whatever is answered. */
  ask(invoiceId: string, body: object): void {
    const asked = this.#asked.get(invoiceId) ?? { times: 0, bodies: new Set() };
    asked.times += 1;
    asked.bodies.add(createHash('sha256').update(JSON.stringify(body)).digest('base64url'));
    this.#asked.set(invoiceId, asked);
  }

  /** Gives a number. */
  grant(invoiceId: string, invoice?: Invoice): Grant {
    let nine = nineDigits();
    while (this.#printed.has(nine)) {
      nine = nineDigits();
    }
    const at = this.#clock.now();
    const grant: Grant = {
      invoice_id: invoiceId,
      confirmation_number: this.#prefix === null ? longNumber(at, nine) : this.#prefix + nine,
      at: at.toISOString(),
      ...(invoice && { vat_number: invoice.vat_number, action: invoice.action ?? 0, invoice }),
    };
    this.#grantFile.append(grant);
    this.#keep(grant);
    return grant;
  }

  /** The numbers of an invoice, oldest first: several where it was a proforma, or the option `repeat` is `new`. */
  grantsOf(invoiceId: string): readonly Grant[] {
    return this.#grants.get(invoiceId) ?? [];
  }

  /** The number of some other invoice; one is made where there is none. */
  another(than: string): Grant {
    return this.#newest.findLast((grant) => grant.invoice_id !== than) ?? this.grant('another-invoice');
  }

  /** The last grants, oldest first. */
  newest(): readonly Grant[] {
    return this.#newest;
  }

  refusalOf(invoiceId: string): Refusal | undefined {
    return this.#refusals.get(invoiceId);
  }

  remember(refusal: Refusal): void {
    this.#refusalFile.append(refusal);
    this.#refusals.set(refusal.invoice_id, refusal);
  }

  /** How often each of the newest was asked for. */
  asked(): Record<string, number> {
    return Object.fromEntries([...this.#asked].slice(-shownMax).map(([id, { times }]) => [id, times]));
  }

  /** Everything by `invoice_id`, for tests. */
  shown(): { grants: object; refusals: object; requests: object } {
    const grants = [...this.#grants].map(([id, entries]) => [
      id,
      entries.map(({ invoice, ...grant }) => ({
        ...grant,
        invoice_reference_number: invoice?.invoice_reference_number ?? null,
      })),
    ]);
    const requests = [...this.#asked].map(([id, { times, bodies }]) => [
      id,
      { times, different_bodies: bodies.size },
    ]);
    return {
      grants: Object.fromEntries(grants.slice(-shownMax)),
      refusals: Object.fromEntries([...this.#refusals].slice(-shownMax)),
      requests: Object.fromEntries(requests.slice(-shownMax)),
    };
  }

  #keep(grant: Grant): void {
    const of = this.#grants.get(grant.invoice_id) ?? [];
    this.#grants.set(grant.invoice_id, [...of, grant]);
    this.#newest.push(grant);
    this.#printed.add(grant.confirmation_number.slice(-9));
    if (this.#newest.length > shownMax) {
      this.#forget(this.#newest.shift() as Grant);
    }
  }

  /** Of old grants the number remains, not the request: memory has a bound in long tests. */
  #forget(old: Grant): void {
    const { invoice, ...rest } = old;
    const entries = this.grantsOf(old.invoice_id).map((grant) => (grant === old ? rest : grant));
    this.#grants.set(old.invoice_id, entries);
  }
}
