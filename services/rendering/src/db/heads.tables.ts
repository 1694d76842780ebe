import type { AsGenerated, Typed } from '@pinkas/service-kit';
import type { GeneratedTables } from './generated.tables.js';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnHeadsTables {
  /**
   * Ends of chains that were signed together.
   * - `n`: 1, 2, …
   * - `statement`: Canonical JSON, of which the signature is.
   */
  signed_heads: AsGenerated;
  /** The certificates that statements and their time-stamps were signed with. */
  heads_certificate: {
    purpose: 'statement' | 'timestamp';
  };
  /**
   * The last end of a chain that a statement has.
   * - `chain`: Service, business and type.
   */
  stated_head: AsGenerated;
}

/** The tables of the signed heads. */
export interface HeadsTables extends Typed<GeneratedTables, OwnHeadsTables> {}

export type SignedHeadsTable = HeadsTables['signed_heads'];
export type HeadsCertificateTable = HeadsTables['heads_certificate'];
export type StatedHeadTable = HeadsTables['stated_head'];
