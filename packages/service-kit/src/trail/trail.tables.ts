import type { GeneratedTables } from '../db/generated.tables.js';
import type { AsGenerated, Typed } from '../db/typed-tables.js';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnTrailTables {
  /**
   * A change that a person or a key has made; written by `appendTrail` in the transaction of the change.
   * - `n`: Of the business: 1, 2, …
   */
  audit_entry: AsGenerated;
  /** The end of a business's trail. Locking the row locks the next entry. */
  audit_chain: AsGenerated;
}

/** The tables of the kit in every service. */
export interface TrailTables extends Typed<GeneratedTables, OwnTrailTables> {}

export type TrailEntryTable = TrailTables['audit_entry'];
