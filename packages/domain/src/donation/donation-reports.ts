import { type Agorot, fromShekels, sum } from '../money/agorot.js';
import type { PaymentMethod } from '../payment-methods.js';
import { normaliseTaxId } from '../tax-id.js';

/** A means of payment, as the authority divides them. */
export type DonationMeans = 'cash' | 'check' | 'credit_card' | 'bank_transfer' | 'digital';

/**
 * The authority's codes of the means of payment (guide to the donations interface, June 2023, annex A). The others, 08 standing order and
 * 11 money's worth, are no method of payment here.
 */
export const donationMeansCodes: Readonly<Record<DonationMeans, number>> = {
  cash: 1,
  check: 2,
  credit_card: 3,
  bank_transfer: 4,
  digital: 10,
};

const meansOf: Readonly<Record<PaymentMethod, DonationMeans>> = {
  cash: 'cash',
  check: 'check',
  credit_card: 'credit_card',
  bank_transfer: 'bank_transfer',
  wallet_method_1: 'digital',
  wallet_method_2: 'digital',
  wallet_method_3: 'digital',
  wallet_method_4: 'digital',
  wallet_method_5: 'digital',
};

/** The facts of a payment that a report needs. */
export interface DonatedPayment {
  readonly method: PaymentMethod;
  /** ILS */
  readonly amount: number;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly check_date: string | null;
  readonly card_last_digits: string | null;
}

/** One report of a receipt: the payments of one means. */
export interface DonationReport<P extends DonatedPayment = DonatedPayment> {
  /** 1, 2, … in the order of the first payment of each. */
  readonly index: number;
  readonly means: DonationMeans;
  /** The year in which the donation counts. */
  readonly taxYear: number;
  readonly amount: Agorot;
  /** Of a card. */
  readonly cardLastDigits: string | null;
  readonly payments: readonly P[];
}

/**
 * The reports of a receipt. The authority takes one means of payment for each: the payments of one go together, those by another card
 * apart, and checks by the tax year in which they are due. Their sum is the total of the receipt, which its payments may miss by an agora:
 * the largest amount that is no sum of checks takes the difference.
 */
export function donationReports<P extends DonatedPayment>(document: {
  readonly date: string;
  readonly payments: readonly P[];
  readonly totals: { readonly total: number };
}): DonationReport<P>[] {
  const groups = new Map<string, { means: DonationMeans; taxYear: number; payments: P[] }>();
  for (const payment of document.payments) {
    const means = meansOf[payment.method];
    const taxYear = taxYearOf(payment, document.date);
    const key = [means, means === 'credit_card' ? payment.card_last_digits : '', taxYear].join(' ');
    const group = groups.get(key) ?? { means, taxYear, payments: [] };
    groups.set(key, group);
    group.payments.push(payment);
  }
  const amounts = [...groups.values()].map((group) => ({
    ...group,
    amount: sum(group.payments.map(({ amount }) => fromShekels(amount))),
  }));
  const difference = fromShekels(document.totals.total) - sum(amounts.map(({ amount }) => amount));
  const rounded = largestOf(amounts.filter(({ means }) => means !== 'check')) ?? largestOf(amounts);
  if (rounded) {
    rounded.amount += difference;
  }
  return amounts
    .filter(({ amount }) => amount > 0n)
    .map(({ means, taxYear, amount, payments }, position) => ({
      index: position + 1,
      means,
      taxYear,
      amount,
      cardLastDigits: means === 'credit_card' ? (payments[0]?.card_last_digits ?? null) : null,
      payments,
    }));
}

/** A check that is due after the year of its receipt counts then; everything else counts when it is received. */
function taxYearOf({ method, date, check_date }: DonatedPayment, receiptDate: string): number {
  const received = Number(receiptDate.slice(0, 4));
  return method === 'check' ? Math.max(received, Number((check_date ?? date).slice(0, 4))) : received;
}

function largestOf<T extends { readonly amount: Agorot }>(groups: readonly T[]): T | undefined {
  return groups.reduce<T | undefined>(
    (largest, group) => (largest && largest.amount >= group.amount ? largest : group),
    undefined,
  );
}

/** The ids that stand for a donor without one of their own. */
const anonymousDonorId = '999999999';
const foreignDonorId = '888888888';

/** The donor as the authority knows donors: by an id. A name alone is no donor. */
export interface Donor {
  readonly kind: 'identified' | 'anonymous' | 'foreign';
  /** Nine digits. */
  readonly id: string;
}

/** The donor of a receipt. */
export function donorOf(document: {
  readonly customer: { readonly tax_id: string | null };
  readonly foreign_donor?: object | undefined;
}): Donor {
  if (document.foreign_donor !== undefined) {
    return { kind: 'foreign', id: foreignDonorId };
  }
  const { tax_id: taxId } = document.customer;
  return taxId === null
    ? { kind: 'anonymous', id: anonymousDonorId }
    : { kind: 'identified', id: normaliseTaxId(taxId) };
}

/** The separator of the numbers of a receipt that has several reports, in the order of the reports. */
const numbersSeparator = ', ';

/** The numbers of the reports of a receipt, as they are printed. */
export const joinNumbers = (numbers: readonly string[]): string => numbers.join(numbersSeparator);
export const splitNumbers = (printed: string): string[] => printed.split(numbersSeparator);
