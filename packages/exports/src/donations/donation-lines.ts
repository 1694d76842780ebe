import type { BookEntry, DonationOutcome } from '@pinkas/contracts';
import {
  type Agorot,
  type DonationMeans,
  type Donor,
  donationReports,
  donorOf,
  fromShekels,
  splitNumbers,
} from '@pinkas/domain';

type Status = DonationOutcome['status'];

/** One report of a receipt, as the authority lists it, or as it would be reported. */
export interface DonationLine {
  readonly documentId: string;
  readonly receiptNumber: number;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly status: Status;
  /** The authority's; null: none, or not known of this part of the receipt. */
  readonly number: string | null;
  readonly means: DonationMeans;
  readonly taxYear: number;
  /** Of checks that are due after the year of their receipt: the first day on which one is; else null. */
  readonly dueOn: string | null;
  readonly amount: Agorot;
  readonly donor: Donor;
  readonly donorName: string;
  readonly country: string | null;
  readonly passport: string | null;
}

/** The lines of a document: none unless it is a donation receipt. Their sum is its total, to the agora. */
export function donationLines({ document, state }: BookEntry): DonationLine[] {
  const { donation } = state;
  if (document.type !== 'donation_receipt') {
    return [];
  }
  const reports = donationReports(document);
  const numbers = donation?.number ? splitNumbers(donation.number) : [];
  const { foreign_donor: foreign, customer } = document;
  return reports.map(({ index, means, taxYear, amount, payments }) => ({
    documentId: document.id,
    receiptNumber: document.number,
    date: document.date,
    status: donation?.status ?? 'pending',
    number: numbers.length === reports.length ? (numbers[index - 1] ?? null) : null,
    means,
    taxYear,
    dueOn:
      taxYear > Number(document.date.slice(0, 4))
        ? (payments.map(({ check_date, date }) => check_date ?? date).sort()[0] ?? null)
        : null,
    amount,
    donor: donorOf(document),
    donorName: customer.name,
    country: foreign?.country ?? null,
    passport: foreign?.passport ?? null,
  }));
}

/** What some lines amount to. */
interface DonationSum {
  lines: number;
  amount: Agorot;
  /** Of what is reported, and not cancelled: what gives a credit. */
  reported: Agorot;
}

export type MonthSum = DonationSum & { readonly month: string; readonly means: DonationMeans };
export type DonorSum = DonationSum & { readonly line: DonationLine };

const noSum = (): DonationSum => ({ lines: 0, amount: 0n, reported: 0n });

/** The sums of a year, by month and means, and by donor and tax year. */
export class DonationSums {
  readonly months = new Map<string, MonthSum>();
  readonly donors = new Map<string, DonorSum>();
  readonly total: DonationSum = noSum();
  /** The receipts, and the sum of their totals as the book has them. */
  readonly book = { receipts: 0, total: 0n };
  readonly statuses = new Map<Status, DonationSum>();
  /** Of receipts before the range: checks that are due in it. Neither the total nor the book above has them. */
  readonly carried: DonationSum = noSum();

  carry(lines: readonly DonationLine[]): void {
    for (const line of lines) {
      addTo(this.carried, line);
      this.#addToLists(line);
    }
  }

  add({ document }: BookEntry, lines: readonly DonationLine[]): void {
    if (document.type !== 'donation_receipt') {
      return;
    }
    this.book.receipts += 1;
    this.book.total += fromShekels(document.totals.total);
    for (const line of lines) {
      addTo(this.total, line);
      addTo(of(this.statuses, line.status, noSum), line);
      this.#addToLists(line);
    }
  }

  #addToLists(line: DonationLine): void {
    const month = line.date.slice(0, 7);
    addTo(
      of(this.months, `${month} ${line.means}`, () => ({ ...noSum(), month, means: line.means })),
      line,
    );
    addTo(
      of(this.donors, donorKey(line), () => ({ ...noSum(), line })),
      line,
    );
  }
}

/** Who lives abroad has no id of his own, and is known by the passport, or else by the name. */
function donorKey({ donor, taxYear, country, passport, donorName }: DonationLine): string {
  const own = donor.kind === 'foreign' ? [country, passport ?? donorName].join(' ') : '';
  return [taxYear, donor.id, own].join(' ');
}

function addTo(sum: DonationSum, { amount, status }: DonationLine): void {
  sum.lines += 1;
  sum.amount += amount;
  sum.reported += status === 'reported' ? amount : 0n;
}

function of<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
