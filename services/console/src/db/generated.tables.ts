import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  accountant_package: {
    business_id: string;
    month: string;
    recipient_id: string;
    set_by: string;
    state: string;
    created_at: Date;
    ended_at: Date | null;
    failure: string | null;
    /** How many months the files are of. */
    months: Generated<number>;
  };
  accountant_schedule: {
    business_id: string;
    day_of_month: number;
    recipient_id: string;
    set_by: string;
    first_month: string;
    /** One; or two, as VAT is reported in: January and February, and so on. */
    months: Generated<number>;
  };
  attempt_count: {
    kind: string;
    bucket: number;
    attempts: number;
    ends_at: Date;
  };
  book_check: {
    business_id: string;
    due_at: Date;
    claimed_until: Date | null;
    round_began_at: Date | null;
    /** Where the next part of the round begins; null: at the first document. */
    mark: unknown;
    round_documents: Generated<number>;
    /** What the parts of the round have found so far. */
    round_findings: unknown;
    completed_at: Date | null;
    /** When the round that was completed last began. */
    completed_since: Date | null;
    /** How many documents that round has checked. */
    documents: Generated<number>;
    /** What it has found. */
    findings: unknown;
    /** When an attempt failed that no completed round follows; null: none did. */
    failed_at: Date | null;
  };
  ceremony: {
    challenge_hash: Buffer;
    kind: string;
    browser_hash: Buffer;
    person_id: string | null;
    nonce: string | null;
    code_verifier: string | null;
    next_path: string;
    expires_at: Date;
  };
  dismissed_row: {
    business_id: string;
    /** Of what the row is about and when that happened, or how much it came to. */
    row_hash: string;
    dismissed_by: string;
    dismissed_at: Date;
  };
  dismissed_steps: {
    business_id: string;
    dismissed_by: string;
    dismissed_at: Date;
  };
  draft: {
    business_id: string;
    person_id: string;
    /** Of a document: the idempotency key with which it is issued. */
    id: string;
    /** Where the form is sent; another one in the test book. */
    path: string;
    /** Names and values in their order. */
    fields: unknown;
    /** The document that was issued from it, and then it has no fields; null: none was. */
    document_id: string | null;
    saved_at: Date;
    expires_at: Date;
  };
  due_notice: {
    id: string;
    kind: string;
    email: string;
    browser_hash: Buffer | null;
    business_id: string | null;
    left_email: string | null;
    next_path: string;
    language: string;
    request_id: string | null;
    requested_at: Date;
    attempts: number;
    next_attempt_at: Date;
    claimed_until: Date | null;
    package_month: string | null;
    /** How many months the accountant's files are of. */
    package_months: Generated<number>;
  };
  export_chunk: {
    business_id: string;
    export_id: string;
    position: number;
    bytes: Buffer;
  };
  export_job: {
    business_id: string;
    id: string;
    person_id: string;
    format: string;
    selection: unknown;
    book_id: string | null;
    package_month: string | null;
    charset: string | null;
    first_date: string;
    last_date: string;
    state: Generated<string>;
    requested_at: Date;
    next_attempt_at: Date | null;
    attempts: Generated<number>;
    claimed_until: Date | null;
    claim_id: string | null;
    recorded_at: Date | null;
    documents: Generated<number>;
    documents_total: number | null;
    failure: string | null;
    error: string | null;
    file_name: string | null;
    media_type: string | null;
    size_bytes: number | null;
    missing_pdf_count: Generated<number>;
    missing_pdfs: Generated<string[]>;
    ended_at: Date | null;
    expires_at: Date | null;
    request_id: string | null;
    trace: unknown;
    vat_detail: unknown;
    /** How many months the accountant's files are of. */
    package_months: Generated<number>;
    /** The letter of the drive that a person chose for the uniform structure. */
    drive: string | null;
    run_report: unknown;
  };
  export_volume: {
    singleton: Generated<boolean>;
    stored_bytes: Generated<number>;
  };
  form_outcome: {
    session_id: string;
    path: string;
    outcome: string;
    created_at: Date;
  };
  membership: {
    business_id: string;
    person_id: string;
    role: string;
    invited_by: string | null;
    invited_at: Date;
    undelivered_at: Date | null;
    joined_at: Date | null;
  };
  passkey: {
    id: string;
    person_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    transports: string[];
    name: string;
    created_at: Date;
    last_used_at: Date | null;
  };
  person: {
    id: string;
    email: string;
    language: string | null;
    created_at: Date;
  };
  session: {
    id: string;
    person_id: string;
    token_hash: Buffer;
    created_at: Date;
    last_used_at: Date;
    expires_at: Date;
    proved_at: Date;
    user_agent: string;
    network: string;
    next_token_hash: Buffer | null;
    next_token_at: Date | null;
    previous_token_hash: Buffer | null;
    previous_token_until: Date | null;
    token_since: Generated<Date>;
  };
  sign_in_link: {
    token_hash: Buffer;
    person_id: string;
    notice_id: string | null;
    browser_hash: Buffer | null;
    next_path: string;
    expires_at: Date;
    used_at: Date | null;
    /** Of an invitation: the business that it is to; null: a link to sign in. */
    business_id: string | null;
  };
  transmission: {
    business_id: string;
    export_id: string;
    person_id: string;
    state: Generated<string>;
    requested_at: Date;
    next_attempt_at: Date | null;
    attempts: Generated<number>;
    claimed_until: Date | null;
    claim_id: string | null;
    progress: unknown;
    sent_bytes: Generated<number>;
    uploaded_at: Date | null;
    failure: string | null;
    error: string | null;
    ended_at: Date | null;
    request_id: string | null;
    trace: unknown;
  };
}
