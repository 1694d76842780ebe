import { type FileHandle, mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BookPosition, Call } from '@pinkas/contracts';
import { type Agorot, donationMeansCodes, toShekels } from '@pinkas/domain';
import { type BookRange, bookPages } from '../book-pages.js';
import { sha256Of, writeSums } from '../checksums.js';
import { byteOrderMark, csvRow, money } from '../documents/csv.js';
import { ExportRefusedError } from '../export-refused-error.js';
import { type DonationLine, DonationSums, donationLines } from './donation-lines.js';

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

const columns = [
  ...['receipt_number', 'date', 'document_id', 'status', 'number', 'means', 'payment_code', 'tax_year'],
  ...['amount', 'donor', 'donor_id', 'donor_name', 'country', 'passport'],
] as const;

const shekels = (amount: Agorot) => money(toShekels(amount));

const rowOf = (line: DonationLine) => [
  ...[line.receiptNumber, line.date, line.documentId, line.status, line.number, line.means],
  ...[donationMeansCodes[line.means], line.taxYear, shekels(line.amount), line.donor.kind, line.donor.id],
  ...[line.donorName, line.country, line.passport],
];

/**
 * Writes the donations of a range of dates, to reconcile with the authority's list: `donations.csv`, a line for each report; `months.csv`,
 * their sums by month and means; `donors.csv`, their sums by donor and tax year.
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
  const write = async (name: string, head: readonly string[], fill: (file: FileHandle) => Promise<void>) => {
    const path = join(folder, `${name}.partial`);
    const file = await open(path, 'w');
    try {
      await file.writeFile(byteOrderMark + csvRow(head));
      await fill(file);
    } finally {
      await file.close();
    }
    written.set(name, await sha256Of(path));
    await rename(path, join(folder, name));
  };
  await write('donations.csv', columns, async (file) => {
    for await (const { entries } of bookPages(call, range, beforeReceipts)) {
      for (const entry of entries) {
        const lines = donationLines(entry);
        sums.add(entry, lines);
        await file.writeFile(lines.map((line) => csvRow(rowOf(line), { raw })).join(''));
      }
      onDocuments(sums.book.receipts);
      if (entries.some(({ document }) => document.type > 'donation_receipt')) {
        break;
      }
    }
  });
  await write('months.csv', ['month', 'means', 'reports', 'amount', 'reported'], async (file) => {
    for (const { month, means, lines, amount, reported } of sums.months.values()) {
      await file.writeFile(csvRow([month, means, lines, shekels(amount), shekels(reported)]));
    }
  });
  const donorColumns = ['tax_year', 'donor', 'donor_id', 'donor_name', 'country', 'passport', 'reports'];
  await write('donors.csv', [...donorColumns, 'amount', 'reported'], async (file) => {
    for (const { line, lines, amount, reported } of sums.donors.values()) {
      const { taxYear, donor, country, passport } = line;
      // Receipts without an id are one donor to the authority, whatever name they have.
      const name = donor.kind === 'anonymous' ? null : line.donorName;
      const row = [taxYear, donor.kind, donor.id, name, country, passport, lines];
      await file.writeFile(csvRow([...row, shekels(amount), shekels(reported)], { raw }));
    }
  });
  await writeSums(folder, written);
  return { files: [...written.keys()], sums };
}
