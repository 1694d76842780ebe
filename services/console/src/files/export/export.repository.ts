import type { RunReport, VatDetailSummary } from '@pinkas/exports';
import {
  type Clock,
  currentContext,
  currentTraceJson,
  type Database,
  type NextDue,
  nextDue,
  type Transaction,
} from '@pinkas/service-kit';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { ExportFailure, ExportJobTable } from '../../db/export.tables.js';
import { attemptsMax, storedMaxBytes, unfinishedMax } from './export-policy.js';

export type ExportRow = Selectable<ExportJobTable>;

/** An export that this worker has claimed. */
export type ClaimedExport = ExportRow & { readonly claim_id: string };

/** An export by its key and the claim of an attempt. */
export type Claim = Pick<ClaimedExport, 'business_id' | 'id' | 'claim_id'>;

/** A stored file of an attempt. */
export interface StoredFile {
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly documents: number;
  readonly missingPdfCount: number;
  readonly missingPdfs: readonly string[];
  /** Of a detailed VAT report: what it states. */
  readonly vatDetail: VatDetailSummary | null;
  /** Of the uniform structure: what the run wrote. */
  readonly runReport: RunReport | null;
}

/** Whether a business may request one more export. For a transaction that holds the lock of the business's exports. */
export async function hasRoom(trx: Transaction<ConsoleTables>, businessId: string): Promise<boolean> {
  const { unfinished, stored_bytes } = await trx
    .selectFrom('export_job')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('state', 'in', ['queued', 'running']).as('unfinished'),
      fn.sum<number | null>('size_bytes').filterWhere('state', '=', 'done').as('stored_bytes'),
    ])
    .where('business_id', '=', businessId)
    .executeTakeFirstOrThrow();
  return unfinished < unfinishedMax && Number(stored_bytes) < storedMaxBytes;
}

export async function insertExport(
  trx: Transaction<ConsoleTables>,
  job: Pick<
    Insertable<ExportJobTable>,
    | 'business_id'
    | 'id'
    | 'person_id'
    | 'format'
    | 'selection'
    | 'book_id'
    | 'package_month'
    | 'package_months'
    | 'charset'
    | 'drive'
    | 'first_date'
    | 'last_date'
    | 'requested_at'
  >,
): Promise<void> {
  await trx
    .insertInto('export_job')
    .values({
      ...job,
      next_attempt_at: job.requested_at,
      request_id: currentContext()?.requestId ?? null,
      trace: currentTraceJson(),
    })
    .execute();
}

/** The latest files of a business, the last one first; what was sent to customers is none. */
export function latestExports(
  db: Database<ConsoleTables>,
  businessId: string,
  limit: number,
): Promise<ExportRow[]> {
  return db
    .selectFrom('export_job')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('format', '!=', 'email')
    .orderBy('requested_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function findExport(
  db: Database<ConsoleTables> | Transaction<ConsoleTables>,
  businessId: string,
  id: string,
): Promise<ExportRow | undefined> {
  return db
    .selectFrom('export_job')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** When the next export is due, or the claim of one expires. */
export function nextDueExport(db: Database<ConsoleTables>, clock: Clock): Promise<NextDue> {
  return nextDue(
    db,
    clock,
    () => sql`(
      select min(greatest(next_attempt_at, claimed_until)) from export_job where state in ('queued', 'running')
    )`,
  );
}

/** Claims due exports, and those whose claim has expired, until `until`. */
export async function claimDue(
  db: Database<ConsoleTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<ClaimedExport[]> {
  const rows = await db
    .with('due', (due) =>
      due
        .selectFrom('export_job')
        .select(['business_id', 'id'])
        .where('state', 'in', ['queued', 'running'])
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
        .where('attempts', '<', attemptsMax)
        // People wait for theirs; of those, first the business that has none in progress, and whose last one ended first.
        .orderBy(sql`package_month is not null`)
        .orderBy(
          sql`(select count(*) from export_job as other
            where other.business_id = export_job.business_id and other.claimed_until >= ${now})`,
        )
        .orderBy(
          sql`(select max(ended_at) from export_job as other where other.business_id = export_job.business_id)
            nulls first`,
        )
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('export_job')
    .from('due')
    .set({
      state: 'running',
      claimed_until: until,
      claim_id: sql`gen_random_uuid()`,
      attempts: sql`export_job.attempts + 1`,
      documents: 0,
    })
    .whereRef('export_job.business_id', '=', 'due.business_id')
    .whereRef('export_job.id', '=', 'due.id')
    .returningAll('export_job')
    .execute();
  return rows as ClaimedExport[];
}

/** Fails the exports whose last attempt died with its process. @returns their keys. */
export function failAbandoned(
  db: Database<ConsoleTables>,
  now: Date,
  failure: ExportFailure,
  error: string,
): Promise<Pick<ExportRow, 'business_id' | 'id'>[]> {
  return db
    .updateTable('export_job')
    .set({ state: 'failed', next_attempt_at: null, claimed_until: null, failure, error, ended_at: now })
    .where('state', '=', 'running')
    .where('claimed_until', '<', now)
    .where('attempts', '>=', attemptsMax)
    .returning(['business_id', 'id'])
    .execute();
}

/** Extends a claim and stores the progress. @returns whether the claim is still that of this attempt. */
export async function extendClaim(
  db: Database<ConsoleTables>,
  claim: Claim,
  until: Date,
  documents: number,
): Promise<boolean> {
  const { numUpdatedRows } = await ofClaim(db, claim)
    .set({ claimed_until: until, documents })
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function setTotal(
  db: Database<ConsoleTables>,
  claim: Claim,
  documentsTotal: number | null,
): Promise<void> {
  await ofClaim(db, claim).set({ documents_total: documentsTotal }).execute();
}

/** The trail has its entry, whatever becomes of the attempt. */
export async function markRecorded(
  db: Database<ConsoleTables>,
  { business_id, id }: Claim,
  now: Date,
): Promise<void> {
  await db
    .updateTable('export_job')
    .set({ recorded_at: now })
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .execute();
}

/** Makes an export due, for another attempt. @param counts false: this attempt is not counted. */
export async function postpone(
  db: Database<ConsoleTables>,
  claim: Claim,
  dueAt: Date,
  { counts, error }: { counts: boolean; error: string | null },
): Promise<void> {
  await ofClaim(db, claim)
    .set({
      state: 'queued',
      claimed_until: null,
      next_attempt_at: dueAt,
      documents: 0,
      ...(error !== null && { error }),
      ...(!counts && { attempts: sql`attempts - 1` }),
    })
    .execute();
}

export async function fail(
  db: Database<ConsoleTables>,
  claim: Claim,
  now: Date,
  failure: ExportFailure,
  error: string,
): Promise<void> {
  await ofClaim(db, claim)
    .set({ state: 'failed', claimed_until: null, next_attempt_at: null, failure, error, ended_at: now })
    .execute();
}

/** @returns whether the claim was still that of this attempt. */
export async function finish(
  db: Database<ConsoleTables>,
  claim: Claim,
  file: StoredFile,
  now: Date,
  expiresAt: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await ofClaim(db, claim)
    .set({
      state: 'done',
      claimed_until: null,
      next_attempt_at: null,
      error: null,
      documents: file.documents,
      documents_total: file.documents,
      file_name: file.name,
      media_type: file.mediaType,
      size_bytes: file.sizeBytes,
      missing_pdf_count: file.missingPdfCount,
      missing_pdfs: [...file.missingPdfs],
      vat_detail: file.vatDetail && JSON.stringify(file.vatDetail),
      run_report: file.runReport && JSON.stringify(file.runReport),
      ended_at: now,
      expires_at: expiresAt,
    })
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** An update of an export, while the claim is that of this attempt. */
const ofClaim = (db: Database<ConsoleTables>, { business_id, id, claim_id }: Claim) =>
  db
    .updateTable('export_job')
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .where('claim_id', '=', claim_id)
    .where('state', '=', 'running');

/** Marks the exports as expired whose time is over. @returns how many. */
export async function expire(db: Database<ConsoleTables>, now: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('export_job')
    .set({ state: 'expired' })
    .where('state', '=', 'done')
    .where('expires_at', '<=', now)
    // Until the tax authority has it.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('transmission')
            .select('export_id')
            .whereRef('transmission.business_id', '=', 'export_job.business_id')
            .whereRef('transmission.export_id', '=', 'export_job.id')
            .where('transmission.state', 'in', ['queued', 'running'])
            .where('uploaded_at', 'is', null),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** How many exports wait and run. */
export async function countUnfinished(
  db: Database<ConsoleTables>,
): Promise<Record<'queued' | 'running', number>> {
  const { queued, running } = await db
    .selectFrom('export_job')
    .select((select) => [
      select.fn.countAll<number>().filterWhere('state', '=', 'queued').as('queued'),
      select.fn.countAll<number>().filterWhere('state', '=', 'running').as('running'),
    ])
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow();
  return { queued, running };
}
