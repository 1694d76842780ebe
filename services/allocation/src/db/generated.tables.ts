import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  allocation: {
    business_id: string;
    document_id: string;
    /** A donation has its numbers in donation_report. */
    kind: string;
    state: string;
    reason: string | null;
    number: string | null;
    /** The whole number of the tax authority; its rightmost nine digits are printed. */
    confirmation_number: string | null;
    /** The issued document and its business, for the request and for the event. */
    facts: unknown;
    /** The body of the authority's last response. */
    answer: string | null;
    request_id: string | null;
    trace: unknown;
    attempts: Generated<number>;
    /** How many attempts were made before an operator or a new connection restarted the retry schedule. */
    earlier_attempts: Generated<number>;
    first_attempt_at: Date | null;
    next_attempt_at: Date | null;
    claimed_until: Date | null;
    /** An attempt may have been granted unnoticed: the number is looked up before it is requested again. */
    outcome_unknown: Generated<boolean>;
    /** The last attempt found no usable connection: it is due again when the owner has logged in. */
    awaiting_connection: Generated<boolean>;
    decided_at: Date;
    settled_at: Date | null;
    dead_lettered_at: Date | null;
    /**
     * The last refusal, with its codes, message and response, is a legal event and stays when a number
     * comes later.
     */
    refused_at: Date | null;
    refusal_codes: string[] | null;
    refusal_message: string | null;
    refusal_answer: string | null;
    /** Since when the reports of the donation are to be cancelled: then state is about their cancellation. */
    cancel_requested_at: Date | null;
    cancel_reason: string | null;
    /**
     * The body as it was sent, which a repetition sends again; null before the first request, and after
     * one that certainly brought nothing.
     */
    request: string | null;
    /**
     * The authority does not accept the application, or it is at another address: the operator has to
     * correct that.
     */
    awaiting_operator: Generated<boolean>;
    /** No attempt can ever bring a number. */
    is_final: Generated<boolean>;
    /**
     * When a person typed the number in; then confirmation_number is the number as well, since no more of
     * it is known.
     */
    entered_at: Date | null;
    entered_by: string | null;
  };
  attempt: {
    business_id: string;
    document_id: string;
    n: number;
    started_at: Date;
    ended_at: Date | null;
    /** dead_lettered: it failed, and no other followed automatically; null: in flight, or its process died. */
    outcome: string | null;
    number: string | null;
    reason: string | null;
    refusal_codes: string[] | null;
  };
  connection: {
    business_id: string;
    access_token: Buffer;
    access_expires_at: Date;
    refresh_token: Buffer;
    refresh_expires_at: Date | null;
    connected_at: Date;
    refreshed_at: Date;
    /** When the authority rejected the refresh token; the owner has to log in again. */
    broken_at: Date | null;
    /** The last warning that was logged, so that it is logged once. */
    warning: string | null;
    user_id: string | null;
    /** Of the person who logged in, as requests name who issues; this or user_id. */
    user_name: string | null;
  };
  connection_request: {
    business_id: string;
    /** SHA-256 of the state in the URL, which alone may complete it, once. */
    state_hash: Buffer;
    /** Who alone may complete it, at return_url; null: the operator, and the URL is enough. */
    person_id: string | null;
    return_url: string | null;
    requested_at: Date;
    expires_at: Date;
    used_at: Date | null;
    failure: string | null;
    user_id: string | null;
    user_name: string | null;
  };
  decision: {
    business_id: string;
    document_id: string;
    n: number;
    decision: string;
    /** failed: the authority did not take it, and nothing is decided. */
    state: string;
    decided_at: Date;
    actor: string;
    request_id: string | null;
    trace: unknown;
    attempts: Generated<number>;
    next_attempt_at: Date | null;
    claimed_until: Date | null;
    ended_at: Date | null;
    reason: string | null;
    /** The body of the authority's last response. */
    answer: string | null;
    /** How many of its attempts have certainly decided nothing at the authority; each other one may have. */
    unsent: Generated<number>;
  };
  donation_report: {
    business_id: string;
    document_id: string;
    n: number;
    means: string;
    tax_year: number;
    amount: string;
    number: string | null;
    answer: string | null;
    cancellation_number: string | null;
    cancellation_answer: string | null;
    /** The body as it was sent; null: it has not arrived. */
    request: string | null;
  };
  job: {
    /** Null: it is about no business. */
    business_id: string | null;
    kind: string;
    /** Of what it is about: unique in its kind and business. */
    id: string;
    /** When it was requested. */
    since: Date;
    due_at: Date;
    /** Attempts that have begun. */
    attempts: Generated<number>;
    claimed_until: Date | null;
    /** Of the attempt that is in flight: no other stores an outcome. */
    claim_id: string | null;
    /** Why the last attempt failed. */
    reason: string | null;
    /** When it was dead-lettered; null: it is due, or in flight. */
    dead_at: Date | null;
    request_id: string | null;
    trace: unknown;
  };
  threshold_answer: {
    day: string;
    /** The last attempt of the day, which keeps other replicas from another. */
    asked_at: Date;
    /** ILS; null: the authority has not named it on that day. */
    net: string | null;
  };
}
