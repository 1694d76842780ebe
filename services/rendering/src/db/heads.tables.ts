/** The tables of the signed heads. */
export interface HeadsTables {
  signed_heads: SignedHeadsTable;
  heads_certificate: HeadsCertificateTable;
  stated_head: StatedHeadTable;
}

/** Ends of chains that were signed together. */
export interface SignedHeadsTable {
  /** 1, 2, … */
  n: number;
  signed_at: Date;
  /** Canonical JSON, of which the signature is. */
  statement: string;
  signature: Buffer;
  certificate_sha256: Buffer;
}

/** The last end of a chain that a statement has. */
export interface StatedHeadTable {
  /** Service, business and type. */
  chain: string;
  n: number;
  hash: string;
}

/** The certificates that statements and their time-stamps were signed with. */
export interface HeadsCertificateTable {
  sha256: Buffer;
  purpose: 'statement' | 'timestamp';
  since: Date;
}
