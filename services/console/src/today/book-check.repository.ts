import type { BookMark, Finding } from '@pinkas/exports/verify';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { ConsoleTables } from '../db/console.tables.js';

/** A check that is due, with how far its round came. */
export interface DueCheck {
  business_id: string;
  /** Until when it is claimed: a result is stored by who has the claim alone. */
  claimed_until: Date;
  round_began_at: Date;
  mark: BookMark | null;
  round_documents: number;
  round_findings: Finding[] | null;
}

/** What the last round that was completed has found. */
export interface CompletedCheck {
  completed_at: Date;
  completed_since: Date;
  documents: number;
  findings: Finding[] | null;
  /** When an attempt after it failed; null: none did. */
  failed_at: Date | null;
}

/** A business that somebody may open has a check; the first is due at once. */
export async function insertMissingChecks(all: Database<ConsoleTables>, now: Date): Promise<void> {
  await sql`
    insert into book_check (business_id, due_at)
    select distinct business_id, ${now}::timestamptz from membership
    where not exists (select from book_check where book_check.business_id = membership.business_id)
    on conflict do nothing`.execute(all);
}

/** Claims the check that is due for longest. Of a process that died, the claim expires. */
export async function claimCheck(
  all: Database<ConsoleTables>,
  now: Date,
  until: Date,
): Promise<DueCheck | undefined> {
  const { rows } = await sql<DueCheck>`
    update book_check set claimed_until = ${until}, round_began_at = coalesce(round_began_at, ${now})
    where business_id = (
      select business_id from book_check
      where due_at <= ${now} and (claimed_until is null or claimed_until <= ${now})
      order by due_at limit 1 for update skip locked
    )
    returning business_id, claimed_until, round_began_at, mark, round_documents, round_findings`.execute(all);
  return rows[0];
}

/** Stores a part of a round that another follows. */
export async function storePart(
  db: Database<ConsoleTables>,
  { round_documents, round_findings, mark, ...claim }: DueCheck,
  dueAt: Date,
): Promise<void> {
  await db
    .updateTable('book_check')
    .set({
      mark: JSON.stringify(mark),
      round_documents,
      round_findings: JSON.stringify(round_findings ?? []),
      due_at: dueAt,
      claimed_until: null,
    })
    .where(isClaimed(claim))
    .execute();
}

/** Stores the result of a round with its last part. */
export async function completeRound(
  db: Database<ConsoleTables>,
  { round_began_at, round_documents, round_findings, ...claim }: DueCheck,
  now: Date,
  dueAt: Date,
): Promise<void> {
  await db
    .updateTable('book_check')
    .set({
      completed_at: now,
      completed_since: round_began_at,
      documents: round_documents,
      findings: JSON.stringify(round_findings ?? []),
      failed_at: null,
      round_began_at: null,
      mark: null,
      round_documents: 0,
      round_findings: null,
      due_at: dueAt,
      claimed_until: null,
    })
    .where(isClaimed(claim))
    .execute();
}

/** Stores that an attempt has failed: the round goes on where it was. */
export async function storeFailure(
  db: Database<ConsoleTables>,
  claim: Claim,
  now: Date,
  dueAt: Date,
): Promise<void> {
  await db
    .updateTable('book_check')
    .set({ failed_at: now, due_at: dueAt, claimed_until: null })
    .where(isClaimed(claim))
    .execute();
}

export async function releaseCheck(db: Database<ConsoleTables>, claim: Claim): Promise<void> {
  await db.updateTable('book_check').set({ claimed_until: null }).where(isClaimed(claim)).execute();
}

type Claim = Pick<DueCheck, 'business_id' | 'claimed_until'>;

const isClaimed = ({ business_id, claimed_until }: Claim) =>
  sql<boolean>`business_id = ${business_id} and claimed_until = ${claimed_until}`;

/** The round that is under way. */
interface RunningCheck {
  /** Documents that were looked at so far. */
  readonly documents: number;
  /** When its next part is due; long ago: no one makes it. */
  readonly due_at: Date;
}

/** What is known of the check of a book. */
export interface KnownCheck {
  /** Null: no round was completed yet. */
  readonly completed: CompletedCheck | null;
  /** Null: none is under way. */
  readonly running: RunningCheck | null;
}

export async function knownCheck(db: Database<ConsoleTables>, businessId: string): Promise<KnownCheck> {
  const row = await db
    .selectFrom('book_check')
    .select(['completed_at', 'completed_since', 'documents', 'findings', 'failed_at'])
    .select(['mark', 'due_at', 'round_documents'])
    .where('business_id', '=', businessId)
    .executeTakeFirst();
  return {
    completed:
      row?.completed_at && row.completed_since
        ? { ...row, completed_at: row.completed_at, completed_since: row.completed_since }
        : null,
    running: row?.mark ? { documents: row.round_documents, due_at: row.due_at } : null,
  };
}

/** How many books have findings, and when the oldest of the rounds began that were completed last, or never were. */
export async function checkFigures(
  all: Database<ConsoleTables>,
): Promise<{ found: number; oldest: Date | null }> {
  const { rows } = await sql<{ found: number; oldest: Date | null }>`
    select count(*) filter (where json_array_length(findings) > 0)::integer as found,
      min(coalesce(completed_since, round_began_at)) as oldest
    from book_check`.execute(all);
  return rows[0] ?? { found: 0, oldest: null };
}
