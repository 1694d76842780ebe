import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  artifact: {
    business_id: string;
    document_id: string;
    revision: number;
    request_sha256: Buffer;
    /** Of the requests for a document that is being issued; only an older one is replaced. */
    attempt: number | null;
    sha256: Buffer;
    pdf: Buffer | null;
    size_bytes: number;
    template_version: number;
    certificate_sha256: Buffer;
    /** The tax authority's number: an allocation number, or that of a donation report. */
    allocation_number: string | null;
    number_pending: Generated<boolean>;
    /** Whether it says that the report of its donation was cancelled. */
    report_cancelled: Generated<boolean>;
    cancelled_at: Date | null;
    cancel_reason: string | null;
    created_at: Generated<Date>;
    published_at: Date | null;
    /** Whether it says that it is the original. */
    original: boolean;
    /**
     * Whether it states that no input VAT is deducted by it, since its number was refused and its owner
     * went on without.
     */
    not_deductible: Generated<boolean>;
    /** Where the PDF is in the object store; null: it is in the row. */
    object_key: string | null;
  };
  artifact_comparison: {
    one: Generated<boolean>;
    compared_until: Date;
  };
  artifact_release: {
    business_id: string;
    document_id: string;
    released_at: Date;
  };
  heads_certificate: {
    sha256: Buffer;
    purpose: string;
    since: Date;
  };
  listed_object: {
    object_key: string;
    listed_at: Date;
  };
  logo: {
    business_id: string;
    sha256: Buffer;
    media_type: string;
    bytes: Buffer;
    width: number;
    height: number;
    created_at: Generated<Date>;
  };
  logo_preview: {
    business_id: string;
    sha256: Buffer;
    media_type: string;
    bytes: Buffer;
    width: number;
    height: number;
    created_at: Generated<Date>;
  };
  removed_object: {
    object_key: string;
    removed_at: Generated<Date>;
  };
  signed_heads: {
    n: number;
    signed_at: Date;
    statement: string;
    signature: Buffer;
    certificate_sha256: Buffer;
  };
  stated_head: {
    chain: string;
    n: number;
    hash: string;
    /** When that end was signed; null: an earlier release has signed it. */
    stated_at: Date | null;
  };
}
