/** How many entries of each kind are kept at most. */
const keptMax = 10_000;

/** A use of the token endpoint. */
export interface TokenUse {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly grant_type: string;
  readonly client_id: string;
  /** Whether tokens were given; a refresh token that was used before is refused. */
  readonly given: boolean;
}

/** A look-up of a number. */
export interface LookUp {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly invoice_id: string;
  readonly found: boolean;
}

/** What callers did, beyond the list of calls: for proofs that a number was asked for once, and a token refreshed once. */
export class CallRecord {
  readonly #tokenUses: TokenUse[] = [];
  readonly #lookUps: LookUp[] = [];
  readonly #asked = new Map<string, number>();

  tokenUsed(use: Omit<TokenUse, 'at'>): void {
    this.#keep(this.#tokenUses, { at: new Date().toISOString(), ...use });
  }

  lookedUp(invoiceId: string, found: boolean): void {
    this.#keep(this.#lookUps, { at: new Date().toISOString(), invoice_id: invoiceId, found });
  }

  /** A number was asked for, with a living token; whatever was answered. */
  asked(invoiceId: string): void {
    this.#asked.set(invoiceId, (this.#asked.get(invoiceId) ?? 0) + 1);
  }

  /** As `GET /_calls` shows it: how often each invoice was asked for, every look-up, every use of the token endpoint. */
  shown() {
    return {
      asked: Object.fromEntries([...this.#asked].slice(-keptMax)),
      look_ups: this.#lookUps,
      token_uses: this.#tokenUses,
    };
  }

  #keep<Entry>(entries: Entry[], entry: Entry): void {
    entries.push(entry);
    if (entries.length > keptMax) {
      entries.shift();
    }
  }
}
