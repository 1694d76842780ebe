import type { UniformCharset } from '@pinkas/domain/uniform';
import type { SingleFileFormat } from '@pinkas/exports';
import type { TraceColumn } from '@pinkas/service-kit';
import type { Generated } from 'kysely';

/** `expired`: its bytes are deleted. */
export type ExportState = 'queued' | 'running' | 'done' | 'failed' | 'expired';

/**
 * Why an export ended without a file: the business has no tax id; it is too large; the files of all
 * businesses together are; the last attempt failed, or its process died. The first three no attempt can fix.
 */
export type ExportFailure = 'no_tax_id' | 'too_large' | 'full' | 'unavailable';

/** An export that a person requested. */
export interface ExportJobTable {
  business_id: string;
  id: string;
  person_id: string;
  format: SingleFileFormat;
  /** Of the uniform structure. */
  charset: UniformCharset | null;
  first_date: string;
  last_date: string;
  state: Generated<ExportState>;
  requested_at: Date;
  /** When it is due; null: it ended. */
  next_attempt_at: Date | null;
  attempts: Generated<number>;
  /** While an attempt runs; afterwards another worker may claim it. */
  claimed_until: Date | null;
  /** Of the latest attempt: an earlier one that still runs can store nothing. */
  claim_id: string | null;
  /** When the trail of the book got its entry. */
  recorded_at: Date | null;
  documents: Generated<number>;
  /** Null: not known. */
  documents_total: number | null;
  failure: ExportFailure | null;
  /** Of the latest attempt that failed. */
  error: string | null;
  file_name: string | null;
  media_type: string | null;
  size_bytes: number | null;
  missing_pdf_count: Generated<number>;
  /** Some of them. */
  missing_pdfs: Generated<string[]>;
  ended_at: Date | null;
  /** When the bytes are deleted. */
  expires_at: Date | null;
  /** The X-Request-Id of the request. */
  request_id: string | null;
  trace: TraceColumn;
}

/** A part of a finished file. */
export interface ExportChunkTable {
  business_id: string;
  export_id: string;
  position: number;
  bytes: Buffer;
}

/** How many bytes all chunks have together: one row. */
export interface ExportVolumeTable {
  singleton: Generated<boolean>;
  stored_bytes: Generated<number>;
}

/** The tables of exports. */
export interface ExportTables {
  export_job: ExportJobTable;
  export_chunk: ExportChunkTable;
  export_volume: ExportVolumeTable;
}
