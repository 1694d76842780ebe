import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  attempt: {
    business_id: string;
    delivery_id: string;
    n: number;
    /** The allocation number that its PDF shows; null: it shows none. */
    allocation_number: string | null;
    /** Whether its PDF says that the report of its donation was cancelled. */
    report_cancelled: Generated<boolean>;
    started_at: Date;
    ended_at: Date | null;
    outcome: string | null;
    /** Whether the outcome was ever unknown; stays true when it is learned later. */
    was_unknown: Generated<boolean>;
    provider_response: string | null;
    provider_id: string | null;
    /** Whether its PDF states that no input VAT is deducted by it. */
    not_deductible: Generated<boolean>;
    /**
     * What the provider refused: the recipient as unknown, our account, or the recipient with words about
     * the sender, the relay or access.
     */
    failure: string | null;
    /** The mail server that answered; null: of another channel, a test book, or from before it was kept. */
    server: string | null;
  };
  daily_count: {
    business_id: string;
    counted_on: string;
    messages: number;
  };
  delivery: {
    business_id: string;
    id: string;
    document_id: string;
    channel: string;
    purpose: string;
    recipient: string;
    /**
     * The message, sent without the allocation number, that this one follows with the number; null: it
     * follows none.
     */
    follows: string | null;
    /**
     * waiting: for the final PDF; sending: a send attempt is in flight until claimed_until; withdrawn:
     * never sent.
     */
    state: string;
    /** What the message says; enough to compose it without another service. */
    facts: unknown;
    message_id: string;
    request_id: string | null;
    trace: unknown;
    not_before: Date | null;
    /**
     * Until when it waits, or has waited, for the allocation number; null: it does not wait, or the wait
     * has ended early.
     */
    held_until: Date | null;
    /** Attempts since an operator last made it due, including those that never reached a provider. */
    attempts: Generated<number>;
    /**
     * Attempts of which it is unknown whether the provider accepted the message; after the first it is
     * sent once more, after the second never.
     */
    unknown_outcomes: Generated<number>;
    first_attempt_at: Date | null;
    next_attempt_at: Date;
    claimed_until: Date | null;
    last_error: string | null;
    /** How often an operator made it due again after it had failed. */
    resends: Generated<number>;
    created_at: Date;
    sent_at: Date | null;
    failed_at: Date | null;
    withdrawn_at: Date | null;
    withdrawn_reason: string | null;
    /** Whether a person asked for it, beside what was planned at issue. */
    requested: Generated<boolean>;
    /**
     * What an email that reminds a customer of open documents says, and of which; null: the message brings
     * its document.
     */
    reminder: unknown;
    /**
     * Whether it follows with news, and not with a number: that the report of its donation was cancelled,
     * or that no input VAT is deducted by its invoice.
     */
    report_cancelled: Generated<boolean>;
  };
  document: {
    business_id: string;
    document_id: string;
    /** Until when messages wait for an allocation number that is being obtained; null: none is planned. */
    hold_until: Date | null;
    /** The latest PDF that is final, so that it may go to the customer; null: none is. */
    revision: number | null;
    allocation_number: string | null;
    /** Whether the allocation number is still being obtained; never true again after it was false. */
    allocation_pending: Generated<boolean>;
    /** Whether the report of its donation was cancelled. */
    report_cancelled: Generated<boolean>;
    /** From then on nothing is sent; null: it is not cancelled. */
    cancelled_at: Date | null;
    /**
     * Whether its final PDF states that no input VAT is deducted by it; a number that comes later makes
     * that out of date.
     */
    not_deductible: Generated<boolean>;
  };
  event: {
    business_id: string;
    id: string;
    type: string;
    document_id: string | null;
    /** Its number in the order of commits of issuing; null: another service has published it. */
    sequence: number | null;
    /** In the list of the book; null: an event that was committed before it has not arrived yet. */
    position: number | null;
    /** What webhooks send and the list has. */
    body: string;
    stored_at: Date;
  };
  event_book: {
    business_id: string;
    last_position: Generated<number>;
    /**
     * The number that issuing gave to the last of its events that are listed: the next one is listed after
     * it.
     */
    last_sequence: Generated<number>;
    /**
     * How many events have no position: kept here, since a statement that waits for the lock has not seen
     * their rows.
     */
    unlisted: Generated<number>;
  };
  reminder_limit: {
    business_id: string;
    subject_id: string;
    /** When the last reminder left, or may have left; null: none has. */
    reminded_at: Date | null;
    /** The reminder that has not ended yet; null: there is none. */
    delivery_id: string | null;
  };
  statement_file: {
    business_id: string;
    delivery_id: string;
    pdf: Buffer | null;
    /** Of the file, once its bytes are gone. */
    sha256: Buffer | null;
  };
  suppression: {
    business_id: string;
    channel: string;
    /** An email address in lower case with its domain in ASCII, or a phone number in E.164. */
    address: string;
    reason: string;
    detail: string | null;
    since: Date;
    /** Whether the mail server took messages for others between two refusals of this address. */
    confirmed: Generated<boolean>;
  };
  test_message: {
    business_id: string;
    delivery_id: string;
    document_id: string;
    channel: string;
    purpose: string;
    recipient: string;
    subject: string;
    /** The text of an email, or the JSON of a WhatsApp message. */
    body: string;
    pdf_sha256: Buffer;
    sent_at: Date;
  };
  webhook: {
    business_id: string;
    endpoint_id: string;
    event_id: string;
    state: Generated<string>;
    attempts: Generated<number>;
    /** Those before it was last made due by a person. */
    earlier_attempts: Generated<number>;
    next_attempt_at: Date;
    claimed_until: Date | null;
  };
  webhook_attempt: {
    business_id: string;
    endpoint_id: string;
    event_id: string;
    n: number;
    started_at: Date;
    duration_ms: number;
    received: boolean;
    status: number | null;
    reason: string | null;
    response: string;
  };
  webhook_endpoint: {
    business_id: string;
    id: string;
    url: string;
    /** Null: all. */
    types: string[] | null;
    description: string | null;
    enabled: Generated<boolean>;
    disabled_reason: string | null;
    /** Encrypted; the one before it signs as well until previous_secret_until. */
    secret: Buffer;
    previous_secret: Buffer | null;
    previous_secret_until: Date | null;
    created_at: Date;
    /** From then on it does not exist; what is left of it is deleted in parts. */
    removed_at: Date | null;
    failing_since: Date | null;
    last_received_at: Date | null;
    last_failed_at: Date | null;
    last_failure: string | null;
    /**
     * The emails to the owner about it since it last received: 1, that it fails for a day; 2, that it was
     * disabled.
     */
    notices: Generated<number>;
    notice_claimed_until: Date | null;
    answered_on: string | null;
    /** What the log has stored of its answers on the day answered_on: beyond a limit it stores none. */
    answer_bytes: Generated<number>;
  };
}
