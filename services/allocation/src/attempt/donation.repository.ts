import type { IssuedDocument } from '@pinkas/contracts';
import { donationReports, joinNumbers, toShekels } from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { ReportNumber } from '../authority/attempt-outcome.js';
import type { AllocationTables, DonationReportTable } from '../db/allocation.tables.js';
import type { AllocationRow } from './allocation.repository.js';

export type DonationReportRow = Selectable<DonationReportTable>;
type Key = Pick<AllocationRow, 'business_id' | 'document_id'>;

/** Stores the reports that a receipt needs. */
export async function insertReports(
  trx: Transaction<AllocationTables>,
  document: IssuedDocument,
): Promise<void> {
  await trx
    .insertInto('donation_report')
    .values(
      donationReports(document).map(({ index, means, taxYear, amount }) => ({
        business_id: document.business_id,
        document_id: document.id,
        n: index,
        means,
        tax_year: taxYear,
        amount: toShekels(amount).toFixed(2),
      })),
    )
    .execute();
}

/** Stores a report before it is sent. @returns it, or what may have arrived before, which is sent again. */
export async function storeReportRequest(
  db: Database<AllocationTables>,
  { business_id, document_id }: Key,
  n: number,
  request: string,
): Promise<string> {
  const stored = await db
    .updateTable('donation_report')
    .set({ request: sql<string>`coalesce(request, ${request})` })
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .where('n', '=', n)
    .returning('request')
    .executeTakeFirst();
  return stored?.request ?? request;
}

/** Forgets the requests of reports that have certainly not arrived: the next attempt composes them again. */
export async function forgetReportRequests(
  trx: Transaction<AllocationTables>,
  { business_id, document_id }: Key,
): Promise<void> {
  await trx
    .updateTable('donation_report')
    .set({ request: null })
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .where('number', 'is', null)
    .where('request', 'is not', null)
    .execute();
}

/** The reports of some receipts of one business, in their order. */
export async function readReports(
  db: Database<AllocationTables> | Transaction<AllocationTables>,
  keys: readonly Key[],
): Promise<DonationReportRow[]> {
  if (keys.length === 0) {
    return [];
  }
  return db
    .selectFrom('donation_report')
    .selectAll()
    .where(
      'document_id',
      'in',
      keys.map(({ document_id }) => document_id),
    )
    .orderBy('document_id')
    .orderBy('n')
    .execute();
}

/** Stores the numbers of reports, and of cancellations, which stay: also those of an attempt that was overtaken. */
export async function storeReportNumbers(
  trx: Transaction<AllocationTables>,
  { business_id, document_id }: Key,
  numbers: readonly ReportNumber[],
): Promise<void> {
  for (const { n, kind, number, answer } of numbers) {
    const [column, answerColumn] =
      kind === 'report'
        ? (['number', 'answer'] as const)
        : (['cancellation_number', 'cancellation_answer'] as const);
    await trx
      .updateTable('donation_report')
      .set({ [column]: number, [answerColumn]: answer })
      .where('business_id', '=', business_id)
      .where('document_id', '=', document_id)
      .where('n', '=', n)
      .where(column, 'is', null)
      .execute();
  }
}

/** The number of a receipt as it is printed; null while not all of it is reported. */
export function printedNumberOf(reports: readonly Pick<DonationReportRow, 'number'>[]): string | null {
  const numbers = reports.flatMap(({ number }) => number ?? []);
  return numbers.length === reports.length && numbers.length > 0 ? joinNumbers(numbers) : null;
}

/** Locks a donation until the transaction ends. @returns undefined where the document has none. */
export async function lockDonation(
  trx: Transaction<AllocationTables>,
  { business_id, document_id }: Key,
): Promise<AllocationRow | undefined> {
  return trx
    .selectFrom('allocation')
    .selectAll()
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .where('kind', '=', 'donation')
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Lets a locked donation be cancelled: its attempts begin again, for its cancellation. One in flight ends first, and another follows it.
 */
export async function requestCancellation(
  trx: Transaction<AllocationTables>,
  { business_id, document_id }: Key,
  reason: string,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('allocation')
    .set({
      state: 'pending',
      cancel_requested_at: now,
      cancel_reason: reason,
      next_attempt_at: now,
      first_attempt_at: now,
      earlier_attempts: sql`attempts`,
      reason: null,
      dead_lettered_at: null,
    })
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .execute();
}
