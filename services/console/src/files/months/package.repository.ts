import { randomUUID } from 'node:crypto';
import type { Business } from '@pinkas/contracts';
import { currentContext, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { ConsoleTables } from '../../db/console.tables.js';
import type {
  AccountantPackageTable,
  AccountantScheduleTable,
  ExportFailure,
  ExportState,
  PackageFailure,
} from '../../db/export.tables.js';
import { insertNotice } from '../../notice/notice.repository.js';
import { periodFrom } from '../../reports/period.js';
import { hasVat } from '../../reports/report.js';
import { insertExport } from '../export/export.repository.js';

type Connection = Database<ConsoleTables> | Transaction<ConsoleTables>;
export type Schedule = Selectable<AccountantScheduleTable>;
export type AccountantPackage = Selectable<AccountantPackageTable>;
export type PackageKey = Pick<AccountantPackage, 'business_id' | 'month' | 'months'>;

/** What the accountant gets of a period. */
const formats = ['report', 'pcn874', 'uniform', 'csv', 'pdf-zip'] as const;
export type PackageFormat = (typeof formats)[number];

/** What the accountant gets of a business: the detailed VAT report is of those that issue tax invoices. */
export const packageFormats = (business: Pick<Business, 'legal_type'>): PackageFormat[] =>
  formats.filter((format) => format !== 'pcn874' || hasVat(business));

/** The first day of a month: of the month of a day, or of one before it. */
function firstOfMonth(day: string, monthsBefore = 0): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - monthsBefore, 1)).toISOString().slice(0, 10);
}

/** When and of how many months files are made. */
type Rhythm = Pick<Schedule, 'day_of_month' | 'months'>;

/** The first month of the latest period whose files are due on a day; also where the system was down on the day itself. */
function dueMonth(today: string, { day_of_month, months }: Rhythm): string {
  const last = firstOfMonth(today, Number(today.slice(8)) >= day_of_month ? 1 : 2);
  // Two months are January and February, and so on.
  const isSecond = Number(last.slice(5, 7)) % 2 === 0;
  return months === 1 ? last : firstOfMonth(last, isSecond ? 1 : 2);
}

/** The first month of the latest period that is complete. */
export const completeMonth = (today: string, months: number): string =>
  dueMonth(today, { day_of_month: 1, months });

/** The day on which the files of a period are due. */
const dueDay = (month: string, { day_of_month, months }: Rhythm): string =>
  `${firstOfMonth(month, -months).slice(0, 8)}${String(day_of_month).padStart(2, '0')}`;

/** The first period of a new rhythm: its day is still to come, so that saving it sends nothing. */
export const firstMonthOf = (today: string, rhythm: Rhythm): string =>
  firstOfMonth(dueMonth(today, rhythm), -rhythm.months);

/** The next period whose files are made by the schedule, and when; one that was sent before its day is not. */
export function nextPackage(
  schedule: Schedule,
  begun: readonly Pick<PackageKey, 'month' | 'months'>[],
  today: string,
): { readonly month: string; readonly dueOn: string } {
  const { first_month, months } = schedule;
  const due = dueMonth(today, schedule);
  let month = due < first_month ? first_month : due;
  const isBegun = () => begun.some((other) => other.month === month && other.months === months);
  while (isBegun()) {
    month = firstOfMonth(month, -months);
  }
  const dueOn = dueDay(month, schedule);
  return { month, dueOn: dueOn < today ? today : dueOn };
}

export function findSchedule(db: Connection, businessId: string): Promise<Schedule | undefined> {
  return db
    .selectFrom('accountant_schedule')
    .selectAll()
    .where('business_id', '=', businessId)
    .executeTakeFirst();
}

/** Sets on which day who gets the files; null: no more. */
export async function storeSchedule(
  trx: Transaction<ConsoleTables>,
  businessId: string,
  schedule: Omit<Schedule, 'business_id'> | null,
): Promise<void> {
  await trx.deleteFrom('accountant_schedule').where('business_id', '=', businessId).execute();
  if (schedule) {
    await trx
      .insertInto('accountant_schedule')
      .values({ business_id: businessId, ...schedule })
      .execute();
  }
}

/** The schedules whose period is due and has no files yet, in the order of their businesses. */
export async function dueSchedules(
  all: Database<ConsoleTables>,
  today: string,
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<(Schedule & { month: string })[]> {
  const dayOfMonth = Number(today.slice(8));
  // The day has come, or not yet; one month or two.
  const months = [1, 2].flatMap((count) =>
    [dayOfMonth, dayOfMonth + 1].map((day_of_month) => dueMonth(today, { day_of_month, months: count })),
  );
  const [ofOne, beforeOfOne, ofTwo, beforeOfTwo] = months;
  const month = sql<string>`case when accountant_schedule.months = 1
    then case when accountant_schedule.day_of_month <= ${dayOfMonth}::integer then ${ofOne}::date else ${beforeOfOne}::date end
    else case when accountant_schedule.day_of_month <= ${dayOfMonth}::integer then ${ofTwo}::date else ${beforeOfTwo}::date end end`;
  return all
    .selectFrom('accountant_schedule')
    .selectAll()
    .select(month.as('month'))
    .where(sql<boolean>`first_month <= ${month}`)
    .where(
      sql<boolean>`not exists (select from accountant_package
        where accountant_package.business_id = accountant_schedule.business_id
          and accountant_package.month = ${month} and accountant_package.months = accountant_schedule.months)`,
    )
    .$if(after !== null, (query) => query.where('business_id', '>', after ?? ''))
    .orderBy('business_id')
    .limit(limit)
    .execute();
}

/** Begins the files of a period. @returns whether they were not begun before. */
export async function insertPackage(
  trx: Transaction<ConsoleTables>,
  { business_id, month, months, recipient_id, set_by }: Schedule & { month: string },
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('accountant_package')
    .values({
      business_id,
      month,
      months,
      recipient_id,
      set_by,
      state: 'preparing',
      created_at: now,
      ended_at: null,
      failure: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Makes the exports of a period due. */
export async function insertPackageExports(
  trx: Transaction<ConsoleTables>,
  { business_id, month, months, set_by }: PackageKey & Pick<AccountantPackage, 'set_by'>,
  of: readonly PackageFormat[],
  now: Date,
): Promise<void> {
  for (const format of of) {
    await insertExport(trx, {
      business_id,
      id: randomUUID(),
      person_id: set_by,
      format,
      package_month: month,
      package_months: months,
      charset: format === 'uniform' ? 'iso-8859-8' : null,
      first_date: month,
      last_date: periodFrom(month, months).to,
      requested_at: now,
    });
  }
}

/** Locks a period whose exports have all ended. Another process may have locked others. */
export async function lockEnded(
  trx: Transaction<ConsoleTables>,
): Promise<(AccountantPackage & { failures: ExportFailure[] }) | undefined> {
  const row = await trx
    .selectFrom('accountant_package')
    .selectAll()
    .where('state', '=', 'preparing')
    .where(
      sql<boolean>`not exists (select from export_job
        where export_job.business_id = accountant_package.business_id and package_month = month
          and package_months = months and export_job.state in ('queued', 'running'))`,
    )
    .orderBy('created_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!row) {
    return undefined;
  }
  const failed = await trx
    .selectFrom('export_job')
    .select('failure')
    .where('business_id', '=', row.business_id)
    .where('package_month', '=', row.month)
    .where('package_months', '=', row.months)
    .where('state', '=', 'failed')
    .execute();
  return { ...row, failures: failed.flatMap(({ failure }) => failure ?? []) };
}

export async function endPackage(
  db: Connection,
  { business_id, month, months }: PackageKey,
  failure: PackageFailure | null,
  now: Date,
): Promise<void> {
  await db
    .updateTable('accountant_package')
    .set({ state: failure === null ? 'sent' : 'failed', failure, ended_at: now })
    .where('business_id', '=', business_id)
    .where('month', '=', month)
    .where('months', '=', months)
    .execute();
}

/** Begins the files of a period that has failed once more. @returns whether there is such a period. */
export async function restartPackage(
  trx: Transaction<ConsoleTables>,
  key: PackageKey,
  { recipientId, formats: of }: { readonly recipientId: string; readonly formats: readonly PackageFormat[] },
  now: Date,
): Promise<boolean> {
  const row = await trx
    .updateTable('accountant_package')
    .set({ state: 'preparing', recipient_id: recipientId, failure: null, ended_at: null })
    .where('business_id', '=', key.business_id)
    .where('month', '=', key.month)
    .where('months', '=', key.months)
    .where('state', '=', 'failed')
    .returning(['business_id', 'month', 'months', 'set_by'])
    .executeTakeFirst();
  if (!row) {
    return false;
  }
  await trx
    .updateTable('export_job')
    .set({ package_month: null })
    .where('business_id', '=', key.business_id)
    .where('package_month', '=', key.month)
    .where('package_months', '=', key.months)
    .execute();
  await insertPackageExports(trx, row, of, now);
  return true;
}

/** The latest periods of a business, the last one first. */
export function latestPackages(
  db: Connection,
  businessId: string,
  limit: number,
): Promise<AccountantPackage[]> {
  return db
    .selectFrom('accountant_package')
    .selectAll()
    .where('business_id', '=', businessId)
    .orderBy('month', 'desc')
    .limit(limit)
    .execute();
}

/** A period whose files did not reach the accountant. */
export type FailedPackage = Pick<AccountantPackage, 'month' | 'months' | 'failure' | 'ended_at'> & {
  /** Whether the one who is to get the files is still a member: only then are they made again. */
  readonly has_recipient: boolean;
};

/** The latest periods whose files did not reach the accountant, the last one first; none where no one is to get them any more. */
export function failedPackages(db: Connection, businessId: string, limit: number): Promise<FailedPackage[]> {
  return db
    .selectFrom('accountant_package as package')
    .innerJoin('accountant_schedule as schedule', 'schedule.business_id', 'package.business_id')
    .leftJoin('membership as member', (join) =>
      join
        .onRef('member.business_id', '=', 'schedule.business_id')
        .onRef('member.person_id', '=', 'schedule.recipient_id'),
    )
    .select(['package.month', 'package.months', 'package.failure', 'package.ended_at'])
    .select(sql<boolean>`member.person_id is not null`.as('has_recipient'))
    .where('package.business_id', '=', businessId)
    .where('package.state', '=', 'failed')
    .orderBy('package.month', 'desc')
    .limit(limit)
    .execute();
}

export function findPackage(db: Connection, { business_id, month, months }: PackageKey) {
  return db
    .selectFrom('accountant_package')
    .selectAll()
    .where('business_id', '=', business_id)
    .where('month', '=', month)
    .where('months', '=', months)
    .executeTakeFirst();
}

/** The exports of a period, in the order in which the accountant reads of them. */
export async function exportsOfPackage(
  db: Connection,
  { business_id, month, months }: PackageKey,
): Promise<{ readonly id: string; readonly format: PackageFormat; readonly state: ExportState }[]> {
  const rows = await db
    .selectFrom('export_job')
    .select(['id', 'format', 'state'])
    .where('business_id', '=', business_id)
    .where('package_month', '=', month)
    .where('package_months', '=', months)
    .execute();
  return formats.flatMap((format) =>
    rows.filter((row) => row.format === format).map((row) => ({ ...row, format })),
  );
}

/** Makes the emails due that tell what became of the files of a period: to the accountant, or to the owners. */
export async function insertPackageNotices(
  trx: Transaction<ConsoleTables>,
  { business_id, month, months }: PackageKey,
  kind: 'package' | 'package_failed',
  emails: readonly string[],
  now: Date,
): Promise<void> {
  for (const email of emails) {
    await insertNotice(trx, {
      id: randomUUID(),
      kind,
      email,
      browser_hash: null,
      business_id,
      package_month: month,
      package_months: months,
      next_path: `/b/${business_id}/exports`,
      language: 'he',
      request_id: currentContext()?.requestId ?? null,
      requested_at: now,
    });
  }
}
