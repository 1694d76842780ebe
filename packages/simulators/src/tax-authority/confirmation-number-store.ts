import { randomInt } from 'node:crypto';
import { JsonLinesFile } from '../json-lines-file.js';

/** A confirmation number that was given, and the invoice it belongs to. */
export interface Grant {
  readonly invoice_id: string;
  /** 26 digits: 17 of the instant, 9 of the printed allocation number. */
  readonly confirmation_number: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Which invoice got which number. An invoice that asks again gets the same one; no two share the printed nine digits. */
export class ConfirmationNumberStore {
  readonly #file: JsonLinesFile<Grant>;
  readonly #grants = new Map<string, Grant>();
  readonly #printed = new Set<string>();

  /**
   * @param folder where the ledger is kept over restarts; undefined keeps it in memory only
   * @param prefixOf what comes before the nine digits
   */
  constructor(
    folder: string | undefined,
    name = 'grants.jsonl',
    private readonly prefixOf: (at: string) => string = (at) => at.replace(/\D/g, ''),
  ) {
    this.#file = new JsonLinesFile(folder, name);
    for (const grant of this.#file.earlier) {
      this.#keep(grant);
    }
  }

  /** The number of this invoice, made now if it has none. */
  grant(invoiceId: string): Grant {
    const earlier = this.#grants.get(invoiceId);
    if (earlier) {
      return earlier;
    }
    const at = new Date().toISOString();
    let printed: string;
    do {
      printed = String(randomInt(10 ** 9)).padStart(9, '0');
    } while (this.#printed.has(printed));
    const grant = { invoice_id: invoiceId, confirmation_number: this.prefixOf(at) + printed, at };
    this.#file.append(grant);
    this.#keep(grant);
    return grant;
  }

  /** The number of this invoice, if it has one. */
  find(invoiceId: string): Grant | undefined {
    return this.#grants.get(invoiceId);
  }

  /** The number of some other invoice; one is made where there is none. */
  another(than: string): Grant {
    const other = [...this.#grants.values()].findLast((grant) => grant.invoice_id !== than);
    return other ?? this.grant('another-invoice');
  }

  /** The last `count` grants, oldest first. */
  newest(count: number): Grant[] {
    return [...this.#grants.values()].slice(-count);
  }

  #keep(grant: Grant): void {
    this.#grants.set(grant.invoice_id, grant);
    this.#printed.add(grant.confirmation_number.slice(-9));
  }
}
