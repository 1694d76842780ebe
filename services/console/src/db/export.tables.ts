import type { UniformCharset } from '@pinkas/domain/uniform';
import type {
  RunReport,
  Selection,
  SingleFileFormat,
  Transmission,
  TransmissionProblem,
  VatDetailSummary,
} from '@pinkas/exports';
import type { AsGenerated, TraceColumn, Typed } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';
import type { GeneratedTables } from './generated.tables.js';

/** What a job makes: a file of the book, the report of a month, or messages with a report of them. */
export type JobFormat = SingleFileFormat | 'report' | 'email';

/** `expired`: its bytes are deleted. */
export type ExportState = 'queued' | 'running' | 'done' | 'failed' | 'expired';

/**
 * Why an export ended without a file: the business has no tax id; it is too large; the files of all
 * businesses together are; the last attempt failed, or its process died. The first three no attempt can fix.
 */
export type ExportFailure = 'no_tax_id' | 'too_large' | 'full' | 'not_allowed' | 'unavailable';

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

/** Why the files of a month did not reach the accountant: an export has failed, no member gets them, or the email was refused. */
export type PackageFailure = ExportFailure | 'no_recipient' | 'undelivered';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnExportTables {
  /**
   * On which day who gets the files of the month before, or of the two months before.
   * - `recipient_id`: A member.
   * - `first_month`: The first day of the first month whose files are made.
   */
  accountant_schedule: AsGenerated;
  /**
   * The files of a period for the accountant.
   * - `month`: The first day of its first month.
   */
  accountant_package: {
    /** `sent`: the email is due, or sent. */
    state: 'preparing' | 'sent' | 'failed';
    failure: PackageFailure | null;
  };
  /**
   * An export that a person requested.
   * - `next_attempt_at`: When it is due; null: it ended.
   * - `claimed_until`: While an attempt runs; afterwards another worker may claim it.
   * - `claim_id`: Of the latest attempt: an earlier one that still runs can store nothing.
   * - `recorded_at`: When the trail of the book got its entry.
   * - `documents_total`: Null: not known.
   * - `error`: Of the latest attempt that failed.
   * - `missing_pdfs`: Some of them.
   * - `expires_at`: When the bytes are deleted.
   * - `request_id`: The X-Request-Id of the request.
   */
  export_job: {
    format: JobFormat;
    /** Which documents of the range; null: all of them. */
    selection: ColumnType<Selection | null, string | null | undefined, never>;
    /** The test book; null: the live one. */
    book_id: ColumnType<string | null, string | null | undefined, never>;
    /** The first month of the accountant's files, by its first day; null: a person requested it. */
    package_month: ColumnType<string | null, string | null | undefined, string | null>;
    /** Of the uniform structure. */
    charset: UniformCharset | null;
    state: Generated<ExportState>;
    failure: ExportFailure | null;
    /** Of a detailed VAT report: what it states. */
    vat_detail: ColumnType<VatDetailSummary | null, never, string | null>;
    /** Of the uniform structure: what the run wrote. */
    run_report: ColumnType<RunReport | null, never, string | null>;
    trace: TraceColumn;
  };
  /** A part of a finished file. */
  export_chunk: AsGenerated;
  /** How many bytes all chunks have together: one row. */
  export_volume: AsGenerated;
  /**
   * A file of the uniform structure on its way to the tax authority.
   * - `next_attempt_at`: When it is due; null: it ended.
   * - `attempts`: Since the last step that succeeded.
   * - `uploaded_at`: When all files had arrived: since then the authority is asked what it decided.
   * - `error`: The words of the latest failure, of the authority or in English.
   */
  transmission: {
    state: Generated<TransmissionState>;
    /** Without its folder; null: nothing was begun. */
    progress: ColumnType<Omit<Transmission, 'folder'> | null, never, string | null>;
    failure: TransmissionFailure | null;
    trace: TraceColumn;
  };
}

/** The tables of exports. */
export interface ExportTables extends Typed<GeneratedTables, OwnExportTables> {}

export type AccountantScheduleTable = ExportTables['accountant_schedule'];
export type AccountantPackageTable = ExportTables['accountant_package'];
export type ExportJobTable = ExportTables['export_job'];
export type TransmissionTable = ExportTables['transmission'];
