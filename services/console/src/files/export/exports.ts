import { randomUUID } from 'node:crypto';
import { isUuid } from '@pinkas/contracts';
import { isCalendarDate, vatReportMonth } from '@pinkas/domain';
import { type UniformCharset, uniformCharsets } from '@pinkas/domain/uniform';
import type { RunReport, Selection, VatDetailSummary } from '@pinkas/exports';
import { ApiError, advisoryLock, type Database, forTenant } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { ExportFailure, ExportState, JobFormat } from '../../db/export.tables.js';
import { type ExportRow, findExport, hasRoom, insertExport, latestExports } from './export.repository.js';
import { readChunk, storedBytes } from './export-chunk.repository.js';
import { ExportsFullError } from './export-errors.js';
import { storedMaxBytes, unfinishedMax } from './export-policy.js';

/** What a person requests. Dates are document dates, both included. */
export interface ExportRequest {
  /** Of the form that requests it: a form that is sent twice requests one export. */
  readonly id?: string;
  readonly businessId: string;
  readonly personId: string;
  readonly format: JobFormat;
  /** Which documents of the range; by default all of them. */
  readonly selection?: Selection;
  /** Of the test book; by default of the live one. */
  readonly bookId?: string;
  /** Of the uniform structure only; by default ISO-8859-8. */
  readonly charset?: UniformCharset;
  /** Of the uniform structure only: the letter of the drive that it is for; by default none was chosen. */
  readonly drive?: string;
  readonly from: string;
  readonly to: string;
}

/** A business that has as many unfinished exports as it may have, or as many bytes stored. */
export class TooManyExportsError extends Error {
  override readonly name = 'TooManyExportsError';

  constructor() {
    super(`a business has at most ${unfinishedMax} unfinished exports and ${storedMaxBytes} bytes of files`);
  }
}

/**
 * Requests an export, which is prepared in the background.
 * @param db of the service, without a scope.
 * @param maxBytes how many bytes the files of all businesses may have together.
 * @returns its id.
 * @throws ApiError `validation_error` for dates that are none or not in their order, or not those of a report; TooManyExportsError; ExportsFullError.
 */
export async function requestExport(
  db: Database<ConsoleTables>,
  request: ExportRequest,
  now: Date,
  maxBytes: number,
): Promise<string> {
  const { businessId, personId, format, selection, bookId, from, to } = request;
  const { charset = uniformCharsets[0], drive = '' } = request;
  rejectWrongDates(from, to);
  if (format === 'pcn874' && vatReportMonth(from, to) === null) {
    throw ApiError.invalid([{ path: '/to', message: 'must end one or two complete months' }]);
  }
  const { id = randomUUID() } = request;
  await forTenant(db, businessId)
    .transaction()
    .execute(async (trx) => {
      // Two requests at the same time would each find room.
      await advisoryLock(trx, 'exports', businessId);
      if (await findExport(trx, businessId, id)) {
        return;
      }
      if (!(await hasRoom(trx, businessId))) {
        throw new TooManyExportsError();
      }
      if ((await storedBytes(trx)) >= maxBytes) {
        throw new ExportsFullError();
      }
      await insertExport(trx, {
        business_id: businessId,
        id,
        person_id: personId,
        format,
        selection: selection ? JSON.stringify(selection) : null,
        book_id: bookId ?? null,
        charset: format === 'uniform' ? charset : null,
        drive: (format === 'uniform' && drive) || null,
        first_date: from,
        last_date: to,
        requested_at: now,
      });
    });
  return id;
}

function rejectWrongDates(from: string, to: string): void {
  const wrong = Object.entries({ from, to }).filter(([, day]) => !isCalendarDate(day));
  if (wrong.length > 0) {
    const message = 'must be a day, YYYY-MM-DD';
    throw ApiError.invalid(wrong.map(([name]) => ({ path: `/${name}`, message })));
  }
  if (from > to) {
    throw ApiError.invalid([{ path: '/to', message: 'must not be before the first day' }]);
  }
}

/** An export as a page shows it. */
export interface ExportView {
  readonly id: string;
  readonly personId: string;
  readonly format: JobFormat;
  /** Whether it has a part of the range. */
  readonly isSelection: boolean;
  /** The period of the accountant's files; null: a person requested it. */
  readonly ofPackage: { readonly month: string; readonly months: number } | null;
  readonly charset: UniformCharset | null;
  readonly from: string;
  readonly to: string;
  readonly state: ExportState;
  /** Documents that are read, and all of them; the latter null where it is not known. */
  readonly progress: { readonly done: number; readonly total: number | null };
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
  /** Until when the file is kept. */
  readonly expiresAt: Date | null;
  /** The file, also of one that has expired. */
  readonly file: { readonly name: string; readonly mediaType: string; readonly sizeBytes: number } | null;
  /**
   * Documents without a PDF, of an export of PDFs; the names are those of the first hundred, such as `tax_invoice 17`. Of emails, the
   * documents that were not sent, with the reason: `tax_invoice 17 no_email`.
   */
  readonly missingPdfs: { readonly count: number; readonly names: readonly string[] };
  /** Of a detailed VAT report: what it states. */
  readonly vatDetail: VatDetailSummary | null;
  /** Of the uniform structure: what the run wrote. */
  readonly runReport: RunReport | null;
  /** Why there is no file, where it failed. */
  readonly failure: ExportFailure | null;
  /** The words of the latest error, in English, for the operator. */
  readonly error: string | null;
}

const listedMax = 50;

/**
 * The latest 50 exports of a business, the last one first.
 * @param db of the service, without a scope.
 */
export async function listExports(db: Database<ConsoleTables>, businessId: string): Promise<ExportView[]> {
  const rows = await latestExports(forTenant(db, businessId), businessId, listedMax);
  return rows.map(viewOf);
}

/** One export; null: the business has none of that id. @param db of the service, without a scope. */
export async function readExport(
  db: Database<ConsoleTables>,
  businessId: string,
  id: string,
): Promise<ExportView | null> {
  const row = isUuid(id) ? await findExport(forTenant(db, businessId), businessId, id) : undefined;
  return row ? viewOf(row) : null;
}

function viewOf(row: ExportRow): ExportView {
  return {
    id: row.id,
    personId: row.person_id,
    format: row.format,
    isSelection: row.selection !== null,
    ofPackage: row.package_month === null ? null : { month: row.package_month, months: row.package_months },
    charset: row.charset,
    from: row.first_date,
    to: row.last_date,
    state: row.state,
    progress: { done: row.documents, total: row.documents_total },
    requestedAt: row.requested_at,
    endedAt: row.ended_at,
    expiresAt: row.expires_at,
    file: fileOf(row),
    missingPdfs: { count: row.missing_pdf_count, names: row.missing_pdfs },
    vatDetail: row.vat_detail,
    runReport: row.run_report,
    failure: row.failure,
    error: row.error,
  };
}

function fileOf({ file_name, media_type, size_bytes }: ExportRow): ExportView['file'] {
  return file_name === null || media_type === null || size_bytes === null
    ? null
    : { name: file_name, mediaType: media_type, sizeBytes: size_bytes };
}

/** A finished file. */
interface ExportFile {
  /** ASCII. */
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Reads the file chunk by chunk. It throws where the file expires. */
  readonly chunks: AsyncIterable<Buffer>;
}

/**
 * The file of an export of a business.
 * @param db of the service, without a scope.
 * @returns null unless the business has that export, and it is done and not expired.
 */
export async function readExportFile(
  db: Database<ConsoleTables>,
  businessId: string,
  exportId: string,
): Promise<ExportFile | null> {
  if (!isUuid(exportId)) {
    return null;
  }
  const scoped = forTenant(db, businessId);
  const row = await findExport(scoped, businessId, exportId);
  const file = row && row.state === 'done' ? fileOf(row) : null;
  return file && { ...file, chunks: chunksOf(scoped, businessId, exportId, file.sizeBytes) };
}

async function* chunksOf(
  db: Database<ConsoleTables>,
  businessId: string,
  exportId: string,
  sizeBytes: number,
): AsyncGenerator<Buffer> {
  let read = 0;
  for (let position = 0; read < sizeBytes; position += 1) {
    const bytes = await readChunk(db, businessId, exportId, position);
    if (!bytes) {
      throw new Error(`the file of export ${exportId} ends after ${read} of ${sizeBytes} bytes`);
    }
    read += bytes.length;
    yield bytes;
  }
}
