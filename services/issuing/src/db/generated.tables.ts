import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  account_sum: {
    business_id: string;
    type: string;
    month: string;
    account_id: string;
    documents: number;
    net: string;
    total: string;
  };
  book: {
    business_id: string;
    last_position: number;
    /**
     * The number of events for callers so far, which are numbered in the order of commits; 0: the business
     * wants none.
     */
    last_event: Generated<number>;
  };
  daily_count: {
    business_id: string;
    key_id: string;
    counted_on: string;
    documents: number;
  };
  debt_sum: {
    business_id: string;
    account_id: string;
    due_on: string;
    documents: number;
    open_agorot: number;
    /**
     * Of an account: what it has received beyond what its documents ask for, less what is left to pay of
     * them and what was set off; an agora that is left, or received beyond a total, is nothing.
     */
    on_account_agorot: number;
  };
  document: {
    business_id: string;
    id: string;
    public_id: string;
    type: string;
    number: number;
    /** The place in the order of commits of the business, in which lists show its documents. */
    position: number;
    status: string;
    dated_on: string;
    due_on: string | null;
    issued_at: Date;
    cancelled_at: Date | null;
    /** The reason that the caller gave for the cancellation. */
    cancel_reason: string | null;
    external_ref: string | null;
    idempotency_key: string;
    body_sha256: Buffer;
    key_id: string | null;
    person_id: string | null;
    business: unknown;
    customer_id: string;
    customer: unknown;
    /**
     * The customer on whose account it is: of a receipt or a credit note the one whose document it
     * settles.
     */
    account_id: string;
    items: unknown;
    prices_include_vat: boolean;
    discount_rule: unknown;
    payments: unknown;
    subtotal: string;
    discount: string;
    vat: string;
    vat_rate: string;
    total: string;
    /**
     * The total, for indexes: below row-level security a comparison of numerics reads none, since it is
     * not leakproof.
     */
    total_agorot: number;
    paid: string;
    /**
     * What is left to pay of it, as settlementOf of the domain computes it; null where it asks for no
     * payment.
     */
    balance: string | null;
    source_id: string | null;
    source: unknown;
    title: string | null;
    notes: string | null;
    send: boolean;
    foreign_donor: unknown;
    artifact_sha256: string;
    allocation_number: string | null;
    allocation: unknown;
    delivery: unknown;
    /**
     * Of a donation receipt: what has become of its report to the tax authority; null until the authority
     * has answered.
     */
    donation: unknown;
    /**
     * The outcomes of allocation and delivery in the reply to the issue request; a replay returns the
     * same.
     */
    reply_outcomes: unknown;
    /** SHA-256 over the facts of the document and the hash of the one before it in its series. */
    hash: Buffer;
    /**
     * What the response to the issue request warned of, by code; a replay warns of the same. Null: they
     * were not stored.
     */
    warnings: unknown;
    /**
     * What an owner has set against it, of the money that its customer has on account or as tax that was
     * withheld: the sum of its set-offs that are not removed.
     */
    set_off: Generated<string>;
    /** How far it is settled; null where it asks for no payment. */
    settlement: string | null;
    /**
     * Of what is set against it, the tax that its customer has withheld; of a receipt what was withheld in
     * addition to what it received, as it states.
     */
    withheld: Generated<string>;
  };
  document_sum: {
    business_id: string;
    type: string;
    dated_on: string;
    vat_rate: string;
    documents: number;
    cancelled: number;
    net: string;
    vat: string;
    total: string;
  };
  payment_sum: {
    business_id: string;
    type: string;
    dated_on: string;
    method: string;
    documents: number;
    payments: number;
    amount: string;
  };
  series: {
    business_id: string;
    type: string;
    first_number: number;
    next_number: number;
    last_date: string | null;
    last_issued_at: Date | null;
    /** The hash of the last document; null before the first. */
    last_hash: Buffer | null;
  };
  set_off: {
    business_id: string;
    /**
     * The act, which may settle several documents once: of a receipt that was issued with it, the id of
     * the receipt.
     */
    id: string;
    document_id: string;
    account_id: string;
    amount: string;
    set_at: Date;
    person_id: string | null;
    removed_at: Date | null;
    /** credit: of the money on account; withheld: tax that its customer has withheld. */
    kind: Generated<string>;
    /** Of tax that was withheld: the day of the payment, which decides its year. */
    withheld_on: string | null;
    /** Of the paper in which the customer confirms it. */
    confirmation_number: string | null;
    /** The day on this paper. */
    confirmation_date: string | null;
  };
}
