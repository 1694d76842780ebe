import type { MessagingTables } from '@pinkas/service-kit';
import type { Generated } from 'kysely';
import type { HeadsTables } from './heads.tables.js';
import type { LogoTable } from './logo.tables.js';

/** One signed PDF of a document. */
export interface ArtifactTable {
  business_id: string;
  document_id: string;
  /** 1 is made while the document is issued; each later one shows what was not known before. */
  revision: number;
  /** SHA-256 of the request, by which a repeated request is recognized. */
  request_sha256: Buffer;
  /** Which request of issuing for this document made it; null for a later revision. */
  attempt: number | null;
  sha256: Buffer;
  pdf: Buffer;
  size_bytes: number;
  template_version: number;
  /** SHA-256 of the signing certificate. */
  certificate_sha256: Buffer;
  /** As this revision shows it: the allocation number, or that of a donation report. */
  allocation_number: string | null;
  /** Whether this revision says that its number is still being obtained. */
  number_pending: Generated<boolean>;
  /** Whether this revision states that the report of its donation was cancelled. */
  report_cancelled: Generated<boolean>;
  /** Whether this revision states that no input VAT is deducted by it. */
  not_deductible: Generated<boolean>;
  /** As this revision shows it; null: it shows no cancellation. */
  cancelled_at: Date | null;
  cancel_reason: string | null;
  /** Whether it says that it is the original. */
  original: boolean;
  created_at: Generated<Date>;
  /** When `artifactRendered` was published for this revision, as the one for the customer. */
  published_at: Date | null;
}

/** A document of which a PDF was released to be sent to the customer. */
export interface ArtifactReleaseTable {
  business_id: string;
  document_id: string;
  /** When the first one was released. */
  released_at: Date;
}

/** How far the first PDFs were compared with the book. Its one row is there from the beginning. */
export interface ArtifactComparisonTable {
  /** Every PDF that was stored up to then is of an issued document, and final. */
  compared_until: Date;
}

/** The tables of the rendering service. */
export interface RenderingTables extends MessagingTables, HeadsTables {
  artifact: ArtifactTable;
  artifact_comparison: ArtifactComparisonTable;
  artifact_release: ArtifactReleaseTable;
  logo: LogoTable;
  /** Logos that are not saved yet. */
  logo_preview: LogoTable;
}
