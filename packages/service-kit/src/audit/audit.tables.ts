/** A change that a person or a key has made; written by `appendAudit` in the transaction of the change. */
export interface AuditEntryTable {
  business_id: string;
  /** Of the business: 1, 2, … */
  n: number;
  at: Date;
  action: string;
  subject: string;
  actor: string;
  request_id: string | null;
  before: unknown;
  after: unknown;
  hash: Buffer;
}

/** The end of a business's trail. Locking the row locks the next entry. */
export interface AuditChainTable {
  business_id: string;
  last_n: number;
  last_hash: Buffer | null;
  changed_at: Date;
}

/** The tables of the kit in every service. */
export interface AuditTables {
  audit_entry: AuditEntryTable;
  audit_chain: AuditChainTable;
}
