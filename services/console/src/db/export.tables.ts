import type { UniformCharset } from '@pinkas/domain/uniform';
import type {
  Selection,
  SingleFileFormat,
  Transmission,
  TransmissionProblem,
  VatDetailSummary,
} from '@pinkas/exports';
import type { TraceColumn } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';

/** What a job makes: a file of the book, the report of a month, or messages with a report of them. */
export type JobFormat = SingleFileFormat | 'report' | 'email';

/** `expired`: its bytes are deleted. */
export type ExportState = 'queued' | 'running' | 'done' | 'failed' | 'expired';

/**
 * Why an export ended without a file: the business has no tax id; it is too large; the files of all
 * businesses together are; the last attempt failed, or its process died. The first three no attempt can fix.
 */
export type ExportFailure = 'no_tax_id' | 'too_large' | 'full' | 'not_allowed' | 'unavailable';

/** An export that a person requested. */
export interface ExportJobTable {
  business_id: string;
  id: string;
  person_id: string;
  format: JobFormat;
  /** Which documents of the range; null: all of them. */
  selection: ColumnType<Selection | null, string | null | undefined, never>;
  /** The test book; null: the live one. */
  book_id: ColumnType<string | null, string | null | undefined, never>;
  /** The month of the accountant's files, by its first day; null: a person requested it. */
  package_month: ColumnType<string | null, string | null | undefined, string | null>;
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
  /** Of a detailed VAT report: what it states. */
  vat_detail: ColumnType<VatDetailSummary | null, never, string | null>;
  ended_at: Date | null;
  /** When the bytes are deleted. */
  expires_at: Date | null;
  /** The X-Request-Id of the request. */
  request_id: string | null;
  trace: TraceColumn;
}

/** `undecided`: the authority has not decided for weeks, and is asked no more. */
export type TransmissionState =
  | 'queued'
  | 'running'
  | 'approved'
  | 'rejected'
  | 'not_required'
  | 'undecided'
  | 'failed';

/** `deleted`: the file is not kept any more. `refused`: in the words of the authority. */
export type TransmissionFailure = TransmissionProblem | 'deleted' | 'refused';

/** A file of the uniform structure on its way to the tax authority. */
export interface TransmissionTable {
  business_id: string;
  export_id: string;
  person_id: string;
  state: Generated<TransmissionState>;
  requested_at: Date;
  /** When it is due; null: it ended. */
  next_attempt_at: Date | null;
  /** Since the last step that succeeded. */
  attempts: Generated<number>;
  claimed_until: Date | null;
  claim_id: string | null;
  /** Without its folder; null: nothing was begun. */
  progress: ColumnType<Omit<Transmission, 'folder'> | null, never, string | null>;
  sent_bytes: Generated<number>;
  /** When all files had arrived: since then the authority is asked what it decided. */
  uploaded_at: Date | null;
  failure: TransmissionFailure | null;
  /** The words of the latest failure, of the authority or in English. */
  error: string | null;
  ended_at: Date | null;
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

/** On which day of each month who gets the files of the month before. */
export interface AccountantScheduleTable {
  business_id: string;
  day_of_month: number;
  /** A member. */
  recipient_id: string;
  set_by: string;
  /** The first day of the first month whose files are made. */
  first_month: string;
}

/** Why the files of a month did not reach the accountant: an export has failed, no member gets them, or the email was refused. */
export type PackageFailure = ExportFailure | 'no_recipient' | 'undelivered';

/** The files of a month for the accountant. */
export interface AccountantPackageTable {
  business_id: string;
  /** Its first day. */
  month: string;
  recipient_id: string;
  set_by: string;
  /** `sent`: the email is due, or sent. */
  state: 'preparing' | 'sent' | 'failed';
  created_at: Date;
  ended_at: Date | null;
  failure: PackageFailure | null;
}

/** The tables of exports. */
export interface ExportTables {
  accountant_schedule: AccountantScheduleTable;
  accountant_package: AccountantPackageTable;
  export_job: ExportJobTable;
  export_chunk: ExportChunkTable;
  export_volume: ExportVolumeTable;
  transmission: TransmissionTable;
}
