import { randomUUID } from 'node:crypto';
import { currentContext, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { ConsoleTables } from '../db/console.tables.js';
import type {
  AccountantPackageTable,
  AccountantScheduleTable,
  ExportFailure,
  PackageFailure,
} from '../db/export.tables.js';
import { insertExport } from '../export/export.repository.js';
import { insertNotice } from '../notice/notice.repository.js';

type Connection = Database<ConsoleTables> | Transaction<ConsoleTables>;
export type Schedule = Selectable<AccountantScheduleTable>;
export type AccountantPackage = Selectable<AccountantPackageTable>;
type PackageKey = Pick<AccountantPackage, 'business_id' | 'month'>;

/** What the accountant gets of a month. */
export const packageFormats = ['report', 'uniform', 'csv', 'pdf-zip'] as const;

/** The first day of a month: of the month of a day, or of one before it. */
export function firstOfMonth(day: string, monthsBefore = 0): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - monthsBefore, 1)).toISOString().slice(0, 10);
}

/** The last day of the month that begins on a day. */
export function lastOfMonth(first: string): string {
  const [year = 0, month = 1] = first.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

/** The latest month whose files are due on a day; also where the system was down on the day itself. */
export function dueMonth(today: string, dayOfMonth: number): string {
  return firstOfMonth(today, Number(today.slice(8)) >= dayOfMonth ? 1 : 2);
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

/** The schedules whose month is due and has no files yet. */
export async function dueSchedules(
  all: Database<ConsoleTables>,
  today: string,
  limit: number,
): Promise<(Schedule & { month: string })[]> {
  const [thisMonth, lastMonth] = [dueMonth(today, 1), firstOfMonth(today, 2)];
  const month = sql<string>`case when day_of_month <= ${Number(today.slice(8))}::integer
    then ${thisMonth}::date else ${lastMonth}::date end`;
  return all
    .selectFrom('accountant_schedule')
    .selectAll()
    .select(month.as('month'))
    .where(sql<boolean>`first_month <= ${month}`)
    .where(
      sql<boolean>`not exists (select from accountant_package
        where accountant_package.business_id = accountant_schedule.business_id and month = ${month})`,
    )
    .limit(limit)
    .execute();
}

/** Begins the files of a month. @returns whether they were not begun before. */
export async function insertPackage(
  trx: Transaction<ConsoleTables>,
  { business_id, month, recipient_id, set_by }: Schedule & { month: string },
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('accountant_package')
    .values({
      business_id,
      month,
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

/** Makes the exports of a month due. */
export async function insertPackageExports(
  trx: Transaction<ConsoleTables>,
  { business_id, month, set_by }: Pick<AccountantPackage, 'business_id' | 'month' | 'set_by'>,
  now: Date,
): Promise<void> {
  for (const format of packageFormats) {
    await insertExport(trx, {
      business_id,
      id: randomUUID(),
      person_id: set_by,
      format,
      package_month: month,
      charset: format === 'uniform' ? 'iso-8859-8' : null,
      first_date: month,
      last_date: lastOfMonth(month),
      requested_at: now,
    });
  }
}

/** Locks a month whose exports have all ended. Another process may have locked others. */
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
          and export_job.state in ('queued', 'running'))`,
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
    .where('state', '=', 'failed')
    .execute();
  return { ...row, failures: failed.flatMap(({ failure }) => failure ?? []) };
}

export async function endPackage(
  db: Connection,
  { business_id, month }: PackageKey,
  failure: PackageFailure | null,
  now: Date,
): Promise<void> {
  await db
    .updateTable('accountant_package')
    .set({ state: failure === null ? 'sent' : 'failed', failure, ended_at: now })
    .where('business_id', '=', business_id)
    .where('month', '=', month)
    .execute();
}

/** Begins the files of a month that has failed once more. @returns whether there is such a month. */
export async function restartPackage(
  trx: Transaction<ConsoleTables>,
  key: PackageKey,
  recipientId: string,
  now: Date,
): Promise<boolean> {
  const row = await trx
    .updateTable('accountant_package')
    .set({ state: 'preparing', recipient_id: recipientId, failure: null, ended_at: null })
    .where('business_id', '=', key.business_id)
    .where('month', '=', key.month)
    .where('state', '=', 'failed')
    .returning(['business_id', 'month', 'set_by'])
    .executeTakeFirst();
  if (!row) {
    return false;
  }
  await trx
    .updateTable('export_job')
    .set({ package_month: null })
    .where('business_id', '=', key.business_id)
    .where('package_month', '=', key.month)
    .execute();
  await insertPackageExports(trx, row, now);
  return true;
}

/** The latest months of a business, the last one first. */
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

/** A month whose files did not reach the accountant. */
export type FailedPackage = Pick<AccountantPackage, 'month' | 'failure' | 'ended_at'> & {
  /** Whether the one who is to get the files is still a member: only then are they made again. */
  readonly has_recipient: boolean;
};

/** The latest months whose files did not reach the accountant, the last one first; none where no one is to get them any more. */
export function failedPackages(db: Connection, businessId: string, limit: number): Promise<FailedPackage[]> {
  return db
    .selectFrom('accountant_package as package')
    .innerJoin('accountant_schedule as schedule', 'schedule.business_id', 'package.business_id')
    .leftJoin('membership as member', (join) =>
      join
        .onRef('member.business_id', '=', 'schedule.business_id')
        .onRef('member.person_id', '=', 'schedule.recipient_id'),
    )
    .select(['package.month', 'package.failure', 'package.ended_at'])
    .select(sql<boolean>`member.person_id is not null`.as('has_recipient'))
    .where('package.business_id', '=', businessId)
    .where('package.state', '=', 'failed')
    .orderBy('package.month', 'desc')
    .limit(limit)
    .execute();
}

export function findPackage(db: Connection, { business_id, month }: PackageKey) {
  return db
    .selectFrom('accountant_package')
    .selectAll()
    .where('business_id', '=', business_id)
    .where('month', '=', month)
    .executeTakeFirst();
}

/** Makes the emails due that tell what became of the files of a month: to the accountant, or to the owners. */
export async function insertPackageNotices(
  trx: Transaction<ConsoleTables>,
  { business_id, month }: PackageKey,
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
      next_path: `/b/${business_id}/exports`,
      language: 'he',
      request_id: currentContext()?.requestId ?? null,
      requested_at: now,
    });
  }
}
