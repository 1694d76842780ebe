import { type FileHandle, mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BookPosition, Call } from '@pinkas/contracts';
import { type Agorot, donationMeansCodes, toShekels } from '@pinkas/domain';
import { type BookRange, bookPages } from '../book-pages.js';
import { sha256Of, writeSums } from '../checksums.js';
import { byteOrderMark, type CsvColumn, csvHead, csvMoney, csvRows } from '../documents/csv.js';
import { ExportRefusedError } from '../export-refused-error.js';
import {
  type DonationLine,
  DonationSums,
  type DonorSum,
  donationLines,
  type MonthSum,
} from './donation-lines.js';

/** Which receipts, and where their lists go. */
export interface DonationsExport extends BookRange {
  /** Which is made. */
  readonly folder: string;
  /** Texts as callers wrote them; by default none is a formula to a spreadsheet. */
  readonly raw?: boolean;
}

/** The lists of donations. */
export interface WrittenDonations {
  readonly files: readonly string[];
  readonly sums: DonationSums;
}

/** The last position before the first donation receipt: entries come in the order of their types. */
const beforeReceipts: BookPosition = {
  type: 'delivery_note',
  number: Number.MAX_SAFE_INTEGER,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

const shekels = (amount: Agorot) => csvMoney(toShekels(amount));

/** A report in the list: by its receipt, or of a receipt of an earlier year for checks that are due in the range. */
type ListedLine = DonationLine & { readonly listedBy: 'receipt' | 'check_date' };

const columns: readonly CsvColumn<ListedLine>[] = [
  ['receipt_number', (line) => line.receiptNumber],
  ['date', (line) => line.date],
  ['document_id', (line) => line.documentId],
  ['status', (line) => line.status],
  ['number', (line) => line.number],
  ['means', (line) => line.means],
  ['payment_code', (line) => donationMeansCodes[line.means]],
  ['tax_year', (line) => line.taxYear],
  ['amount', (line) => shekels(line.amount)],
  ['donor', (line) => line.donor.kind],
  ['donor_id', (line) => line.donor.id],
  ['donor_name', (line) => line.donorName],
  ['country', (line) => line.country],
  ['passport', (line) => line.passport],
  ['listed_by', (line) => line.listedBy],
];

const monthColumns: readonly CsvColumn<MonthSum>[] = [
  ['month', ({ month }) => month],
  ['means', ({ means }) => means],
  ['reports', ({ lines }) => lines],
  ['amount', ({ amount }) => shekels(amount)],
  ['reported', ({ reported }) => shekels(reported)],
];

const donorColumns: readonly CsvColumn<DonorSum>[] = [
  ['tax_year', ({ line }) => line.taxYear],
  ['donor', ({ line }) => line.donor.kind],
  ['donor_id', ({ line }) => line.donor.id],
  // Receipts without an id are one donor to the authority, whatever name they have.
  ['donor_name', ({ line }) => (line.donor.kind === 'anonymous' ? null : line.donorName)],
  ['country', ({ line }) => line.country],
  ['passport', ({ line }) => line.passport],
  ['reports', ({ lines }) => lines],
  ['amount', ({ amount }) => shekels(amount)],
  ['reported', ({ reported }) => shekels(reported)],
];

/**
 * Writes the donations of a range of dates, to reconcile with the authority's list: `donations.csv`, a line for each report; `months.csv`,
 * their sums by month and means; `donors.csv`, their sums by donor and tax year. Checks that are due in the range and of a later year
 * than their receipt are in them as well, marked, since the authority lists them in that year.
 * @throws ExportRefusedError where the folder has something else.
 */
export async function writeDonations(
  call: Call,
  { folder, raw = false, ...range }: DonationsExport,
  onDocuments: (count: number) => void,
): Promise<WrittenDonations> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new ExportRefusedError('folder_taken', `${folder} is not empty`);
  }
  const sums = new DonationSums();
  const written = new Map<string, string>();
  const write = async (name: string, head: string, fill: (file: FileHandle) => Promise<void>) => {
    const path = join(folder, `${name}.partial`);
    const file = await open(path, 'w');
    try {
      await file.writeFile(byteOrderMark + head);
      await fill(file);
    } finally {
      await file.close();
    }
    written.set(name, await sha256Of(path));
    await rename(path, join(folder, name));
  };
  await write('donations.csv', csvHead(columns), async (file) => {
    for await (const lines of carriedLines(call, range)) {
      sums.carry(lines);
      await file.writeFile(csvRows(columns, listed(lines, 'check_date'), { raw }));
    }
    for await (const { entries } of bookPages(call, range, beforeReceipts)) {
      for (const entry of entries) {
        const lines = donationLines(entry);
        sums.add(entry, lines);
        await file.writeFile(csvRows(columns, listed(lines, 'receipt'), { raw }));
      }
      onDocuments(sums.book.receipts);
      if (entries.some(({ document }) => document.type > 'donation_receipt')) {
        break;
      }
    }
  });
  await write('months.csv', csvHead(monthColumns), (file) =>
    file.writeFile(csvRows(monthColumns, [...sums.months.values()])),
  );
  await write('donors.csv', csvHead(donorColumns), (file) =>
    file.writeFile(csvRows(donorColumns, [...sums.donors.values()], { raw })),
  );
  await writeSums(folder, written);
  return { files: [...written.keys()], sums };
}

const listed = (lines: readonly DonationLine[], listedBy: ListedLine['listedBy']): ListedLine[] =>
  lines.map((line) => ({ ...line, listedBy }));

/** The reports of receipts of the years before a range for checks of which the first is due in it, page by page. */
async function* carriedLines(call: Call, { from, to, ...range }: BookRange): AsyncGenerator<DonationLine[]> {
  const before = { ...range, from: '0001-01-01', to: `${Number(from.slice(0, 4)) - 1}-12-31` };
  for await (const { entries } of bookPages(call, before, beforeReceipts)) {
    yield entries
      .flatMap(donationLines)
      .filter(({ dueOn }) => dueOn !== null && dueOn >= from && dueOn <= to);
    if (entries.some(({ document }) => document.type > 'donation_receipt')) {
      break;
    }
  }
}
