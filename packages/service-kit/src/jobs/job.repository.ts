import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Clock } from '../clock.js';
import { currentContext } from '../process/context.js';
import { currentTraceJson } from '../tracing/spans.js';
import type { JobTables } from './job-table.js';
import type { NextDue } from './job-worker.js';
import { nextDue } from './next-due.js';

/** A job by its key. */
export type JobKey = Pick<Selectable<JobTables['job']>, 'business_id' | 'id'>;

/** A job that this process has claimed. */
export type ClaimedJob = Selectable<JobTables['job']> & {
  readonly claimed_until: Date;
  readonly claim_id: string;
  /** Whether the attempt before ended with its process. */
  readonly was_claimed: boolean;
};

/**
 * Adds a job in the transaction of its fact. One that is due already stays as it is; one that is dead-lettered is due again.
 * @param kind of a `JobKind`.
 */
export async function addJob<Tables>(
  db: Kysely<Tables>,
  kind: string,
  { business_id, id }: JobKey,
  dueAt: Date,
): Promise<void> {
  const requestId = currentContext()?.requestId ?? null;
  await sql`
    insert into job (business_id, kind, id, since, due_at, request_id, trace)
    values (${business_id}::uuid, ${kind}, ${id}, ${dueAt}, ${dueAt}, ${requestId}, ${currentTraceJson()}::json)
    on conflict on constraint job_key do update
    set since = excluded.since, due_at = excluded.due_at, attempts = 0, reason = null, dead_at = null,
      request_id = excluded.request_id, trace = excluded.trace
    where job.dead_at is not null`.execute(db);
}

/** When the next job of a kind is due, or the claim of one expires. */
export function nextDueJob(db: Kysely<JobTables>, clock: Clock, kind: string): Promise<NextDue> {
  return nextDue(
    db,
    clock,
    () =>
      sql`(select min(greatest(due_at, claimed_until)) from job where kind = ${kind} and dead_at is null)`,
  );
}

/** Claims due jobs of a kind until `until`, or the one with a key, and counts the attempts that begin. */
export async function claimJobs(
  db: Kysely<JobTables>,
  { kind, order }: { readonly kind: string; readonly order?: RawBuilder<unknown> | undefined },
  { limit, now, until, key }: { limit: number; now: Date; until: Date; key?: JobKey | undefined },
): Promise<ClaimedJob[]> {
  const { rows } = await sql<ClaimedJob>`
    with due as (
      select ctid as row, claimed_until is not null as was_claimed from job
      where kind = ${kind} and dead_at is null and due_at <= ${now}
        and (claimed_until is null or claimed_until < ${now})
        ${key ? sql`and id = ${key.id} and business_id is not distinct from ${key.business_id}` : sql``}
      order by ${order ? sql`${order}, due_at` : sql`due_at`} limit ${limit} for update skip locked
    )
    update job set claimed_until = ${until}, claim_id = gen_random_uuid(), attempts = attempts + 1
    from due where job.ctid = due.row
    returning job.*, due.was_claimed`.execute(db);
  return rows;
}

/** Extends a claim. @returns whether it is still that of this attempt. */
export async function extendClaim(
  db: Kysely<JobTables>,
  claim: Pick<ClaimedJob, 'kind' | 'id' | 'claim_id'>,
  until: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ claimed_until: until })
    .where(isClaim(claim))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** What becomes of a job with its attempt. `dead`: its last attempt failed. */
export type NextState =
  | { readonly state: 'deleted' }
  | { readonly state: 'dead'; readonly now: Date; readonly reason: string }
  | {
      readonly state: 'due';
      readonly dueAt: Date;
      readonly attempts: number;
      /** Null: it stays. */
      readonly reason: string | null;
    };

/** Ends an attempt. @returns whether the claim was still that of it. */
export async function endAttempt(
  db: Kysely<JobTables>,
  claim: Pick<ClaimedJob, 'kind' | 'id' | 'claim_id'>,
  next: NextState,
): Promise<boolean> {
  if (next.state === 'deleted') {
    const { numDeletedRows } = await db.deleteFrom('job').where(isClaim(claim)).executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({
      ...{ claimed_until: null, claim_id: null },
      ...(next.reason !== null && { reason: next.reason }),
      ...(next.state === 'dead' ? { dead_at: next.now } : { due_at: next.dueAt, attempts: next.attempts }),
    })
    .where(isClaim(claim))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** In a statement of an attempt: whether the claim is still its own, and no other begins before the end of the transaction. */
export const isClaimed = (
  kind: string,
  { id, claim_id }: Pick<ClaimedJob, 'id' | 'claim_id'>,
): RawBuilder<boolean> =>
  sql<boolean>`exists (select from job where kind = ${kind} and id = ${id} and claim_id = ${claim_id} for share)`;

const isClaim = ({ kind, id, claim_id }: Pick<ClaimedJob, 'kind' | 'id' | 'claim_id'>) =>
  sql<boolean>`kind = ${kind} and id = ${id} and claim_id = ${claim_id}`;

/** The jobs of the kinds of a service. */
export interface JobFigures {
  readonly kind: string;
  /** Dead-lettered ones. */
  readonly dead: number;
  /** How long the one that is due for longest is not claimed, in seconds; 0: none is. */
  readonly late_seconds: number;
  /** Of the one that was dead-lettered last. */
  readonly reason: string | null;
}

/** @param all without a scope. */
export async function jobFigures(
  all: Kysely<JobTables>,
  kinds: readonly string[],
  now: Date,
): Promise<JobFigures[]> {
  const { rows } = await sql<JobFigures>`
    select named.kind, count(job.dead_at)::int as dead,
      greatest(0, coalesce(extract(epoch from ${now}::timestamptz - min(greatest(job.due_at, job.claimed_until))
        filter (where job.dead_at is null)), 0))::float8 as late_seconds,
      (array_agg(job.reason order by job.dead_at desc) filter (where job.dead_at is not null))[1] as reason
    from unnest(${kinds}::text[]) as named (kind) left join job on job.kind = named.kind
    group by named.kind order by named.kind`.execute(all);
  return rows;
}
