import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BookEntry, Business, Call } from '@pinkas/contracts';
import {
  type DocumentType,
  dayInIsrael,
  hasNegativeSum,
  registryOf,
  VatDetail,
  vatReportMonth,
} from '@pinkas/domain';
import { bookPages } from '../book-pages.js';
import { ExportRefusedError } from '../export-refused-error.js';

/** What a report is of. */
export interface VatDetailExport {
  readonly business: Business;
  /** One or two complete months. */
  readonly from: string;
  readonly to: string;
  /** The folder that gets the file. */
  readonly out: string;
  readonly startedAt: Date;
  /** Ends the export between two calls. */
  readonly signal?: AbortSignal;
}

/** Sums in complete shekels, less credits. */
export interface VatSums {
  readonly taxable: number;
  readonly vat: number;
  readonly untaxed: number;
}

/** A sale that has no place in the file without the number of its buyer. */
interface LeftOutSale {
  readonly id: string;
  readonly public_id: string;
  readonly type: DocumentType;
  readonly number: number;
  readonly date: string;
  /** ILS */
  readonly total: number;
}

/** What a file states, and what a person should know of it; it is stored as JSON. */
export interface VatDetailSummary {
  readonly rows: number;
  /** Of the header. */
  readonly sums: VatSums;
  /** Of every sale, rounded once: what the report of the period has. */
  readonly reported: VatSums;
  readonly left_out: {
    readonly documents: number;
    readonly sums: VatSums;
    /** Some of them. */
    readonly first: readonly LeftOutSale[];
  };
  /** Rows of customers of no known kind, whose number may be that of a private person. */
  readonly unknown_buyers: number;
  /** Whether the month was over when the file was made; absent in what an earlier release made. */
  readonly is_over?: boolean;
  /** Whether the header has a minus, which the authority's checker of files refuses. */
  readonly has_negative_sum: boolean;
}

/** The most documents that a summary names. */
const namedMax = 100;

/**
 * Writes the sales of a detailed VAT report (PCN874), row by row: a month of any size takes the memory of a page of the book.
 * @param onDocuments called with the number of documents that were read.
 * @throws ExportRefusedError where the business has no tax id, or the dates are not those of a report.
 */
export async function writeVatDetail(
  call: Call,
  request: VatDetailExport,
  onDocuments: (count: number) => void,
): Promise<{ path: string; documents: number; summary: VatDetailSummary }> {
  const { business, from, to, out, startedAt } = request;
  const { tax_id: taxId } = business;
  if (taxId === null) {
    throw new ExportRefusedError('no_tax_id', `${business.name} has no tax id, which the report names`);
  }
  const month = vatReportMonth(from, to);
  if (month === null) {
    throw new ExportRefusedError('not_months', 'a detailed VAT report is of one or two complete months');
  }
  const detail = new VatDetail();
  const header = () => detail.header({ taxId, month, madeOn: dayInIsrael(startedAt) });
  const path = join(out, 'PCN874.TXT');
  const file = await openNew(path);
  try {
    // The header has the sums of the rows: its place is kept.
    await file.appendFile(header(), 'ascii');
    const read = await writeRows(call, request, { detail, file, onDocuments });
    await file.appendFile(detail.collectedLines().join('') + detail.end(taxId), 'ascii');
    await file.write(header(), 0, 'ascii');
    return { path, documents: read.documents, summary: summaryOf(detail, read, dayInIsrael(startedAt) > to) };
  } finally {
    await file.close();
  }
}

/** @throws ExportRefusedError where the file exists: it may be one that was filed. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new ExportRefusedError('folder_taken', `${path} exists`);
    }
    throw error;
  }
}

/** What was read of the book. */
interface ReadSales {
  documents: number;
  leftOut: number;
  readonly first: LeftOutSale[];
  unknownBuyers: number;
}

/** Writes a row for each document that has one. */
async function writeRows(
  call: Call,
  { business, from, to, signal }: VatDetailExport,
  writing: {
    readonly detail: VatDetail;
    readonly file: FileHandle;
    readonly onDocuments: (count: number) => void;
  },
): Promise<ReadSales> {
  const { detail, file, onDocuments } = writing;
  const read: ReadSales = { documents: 0, leftOut: 0, first: [], unknownBuyers: 0 };
  for await (const { entries } of bookPages(call, { businessId: business.id, from, to })) {
    signal?.throwIfAborted();
    let lines = '';
    for (const { document, state } of entries) {
      const place = detail.add({ ...document, allocation_number: state.allocation_number });
      if (place.kind === 'row') {
        lines += place.line;
        read.unknownBuyers += Number(isUnknown(document.customer));
      } else if (place.kind === 'left_out') {
        read.leftOut += 1;
        if (read.first.length < namedMax) {
          read.first.push(leftOutSale(document));
        }
      }
    }
    await file.appendFile(lines, 'ascii');
    read.documents += entries.length;
    onDocuments(read.documents);
  }
  return read;
}

const isUnknown = ({ legal_type, tax_id }: BookEntry['document']['customer']): boolean =>
  legal_type === null && tax_id !== null && registryOf(tax_id) === null;

const leftOutSale = ({ id, public_id, type, number, date, totals }: BookEntry['document']): LeftOutSale => ({
  ...{ id, public_id, type, number, date },
  total: totals.total,
});

function summaryOf(detail: VatDetail, read: ReadSales, isOver: boolean): VatDetailSummary {
  const { sums, reported, leftOut } = detail;
  const asNumbers = ({ taxable, vat, untaxed }: VatDetail['leftOut']): VatSums => ({
    taxable: Number(taxable),
    vat: Number(vat),
    untaxed: Number(untaxed),
  });
  return {
    rows: sums.rows,
    sums: asNumbers(sums),
    reported: asNumbers(reported),
    left_out: { documents: read.leftOut, sums: asNumbers(leftOut), first: read.first },
    unknown_buyers: read.unknownBuyers,
    is_over: isOver,
    has_negative_sum: hasNegativeSum(sums),
  };
}
