import type { Transmission } from '@pinkas/exports';
import {
  type Clock,
  currentContext,
  currentTraceJson,
  type Database,
  type NextDue,
  nextDue,
  type Transaction,
} from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { TransmissionFailure, TransmissionState, TransmissionTable } from '../../db/export.tables.js';

export type TransmissionRow = Selectable<TransmissionTable>;

/** A transmission that this worker has claimed. */
export type ClaimedTransmission = TransmissionRow & { readonly claim_id: string };

type Claim = Pick<ClaimedTransmission, 'business_id' | 'export_id' | 'claim_id'>;

/** The transmissions of some exports. */
export function findTransmissions(
  db: Database<ConsoleTables>,
  businessId: string,
  exportIds: readonly string[],
): Promise<TransmissionRow[]> {
  return exportIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('transmission')
        .selectAll()
        .where('business_id', '=', businessId)
        .where('export_id', 'in', exportIds)
        .execute();
}

/** Begins a transmission, or continues one that has failed or got no decision. @returns whether there was anything to do. */
export async function insertTransmission(
  trx: Transaction<ConsoleTables>,
  {
    businessId,
    exportId,
    personId,
  }: { readonly businessId: string; readonly exportId: string; readonly personId: string },
  now: Date,
): Promise<boolean> {
  const due = { person_id: personId, requested_at: now, next_attempt_at: now };
  const row = await trx
    .insertInto('transmission')
    .values({
      ...{ business_id: businessId, export_id: exportId, ...due },
      request_id: currentContext()?.requestId ?? null,
      trace: currentTraceJson(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['business_id', 'export_id'])
        .doUpdateSet({
          ...{ ...due, state: 'queued', attempts: 0, failure: null, error: null, ended_at: null },
          // The authority is asked as long as after the upload.
          uploaded_at: sql`case when transmission.uploaded_at is null then null else ${now}::timestamptz end`,
        })
        .where('transmission.state', 'in', ['failed', 'undecided']),
    )
    .returning('export_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** When the next transmission is due, or the claim of one expires. */
export function nextDueTransmission(db: Database<ConsoleTables>, clock: Clock): Promise<NextDue> {
  return nextDue(
    db,
    clock,
    () => sql`(
      select min(greatest(next_attempt_at, claimed_until)) from transmission where state in ('queued', 'running')
    )`,
  );
}

/** Claims due transmissions, and those whose claim has expired, until `until`. */
export async function claimDueTransmissions(
  db: Database<ConsoleTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<ClaimedTransmission[]> {
  const rows = await db
    .with('due', (due) =>
      due
        .selectFrom('transmission')
        .select(['business_id', 'export_id'])
        .where('state', 'in', ['queued', 'running'])
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('transmission')
    .from('due')
    .set({
      state: 'running',
      claimed_until: until,
      claim_id: sql`gen_random_uuid()`,
      attempts: sql`transmission.attempts + 1`,
    })
    .whereRef('transmission.business_id', '=', 'due.business_id')
    .whereRef('transmission.export_id', '=', 'due.export_id')
    .returningAll('transmission')
    .execute();
  return rows as ClaimedTransmission[];
}

/** Extends a claim and stores what was sent. @returns whether the claim is still that of this attempt. */
export async function extendTransmissionClaim(
  db: Database<ConsoleTables>,
  claim: Claim,
  until: Date,
  sentBytes: number,
): Promise<boolean> {
  return isChanged(
    await ofClaim(db, claim).set({ claimed_until: until, sent_bytes: sentBytes }).executeTakeFirstOrThrow(),
  );
}

/** Stores how far a transmission is. @returns whether the claim is still that of this attempt. */
export async function storeProgress(
  db: Database<ConsoleTables>,
  claim: Claim,
  { folder: _folder, ...progress }: Transmission,
  now: Date,
): Promise<boolean> {
  const isUploaded = progress.state !== 'written' && progress.state !== 'opened';
  const changed = await ofClaim(db, claim)
    .set({
      progress: JSON.stringify(progress),
      ...(isUploaded && { uploaded_at: sql`coalesce(uploaded_at, ${now}::timestamptz)` }),
    })
    .executeTakeFirstOrThrow();
  return isChanged(changed);
}

/** Makes a transmission due, for its next step. */
export async function postponeTransmission(
  db: Database<ConsoleTables>,
  claim: Claim,
  dueAt: Date,
  next: { readonly attempts: number; readonly error: string | null },
): Promise<void> {
  await ofClaim(db, claim)
    .set({ state: 'queued', claimed_until: null, next_attempt_at: dueAt, ...next })
    .execute();
}

/** Ends a transmission. @returns whether the claim was still that of this attempt. */
export async function endTransmission(
  trx: Transaction<ConsoleTables>,
  claim: Claim,
  now: Date,
  outcome: {
    readonly state: Exclude<TransmissionState, 'queued' | 'running'>;
    readonly failure: TransmissionFailure | null;
    readonly error: string | null;
  },
): Promise<boolean> {
  const ended = { claimed_until: null, next_attempt_at: null, ended_at: now };
  return isChanged(
    await ofClaim(trx, claim)
      .set({ ...ended, ...outcome })
      .executeTakeFirstOrThrow(),
  );
}

const isChanged = ({ numUpdatedRows }: { readonly numUpdatedRows: bigint }) => numUpdatedRows === 1n;

/** An update of a transmission, while the claim is that of this attempt. */
const ofClaim = (
  db: Database<ConsoleTables> | Transaction<ConsoleTables>,
  { business_id, export_id, claim_id }: Claim,
) =>
  db
    .updateTable('transmission')
    .where('business_id', '=', business_id)
    .where('export_id', '=', export_id)
    .where('claim_id', '=', claim_id)
    .where('state', '=', 'running');
