import type { TraceHeaders } from '@pinkas/contracts';
import type { ColumnType } from 'kysely';
import { enableTenantIsolation } from '../db/tenant-isolation.js';

/** The table of the jobs of a service, which `createJobTable` creates. */
export interface JobTables {
  job: {
    /** Null: it is about no business. */
    business_id: string | null;
    /** Of a `JobKind`. */
    kind: string;
    /** Of what it is about: unique in its kind and business. */
    id: string;
    /** When it was requested: the first attempt was due then, at the earliest. */
    since: Date;
    due_at: Date;
    /** Attempts that have begun. */
    attempts: number;
    /** While an attempt is in flight; afterwards another process may claim it. */
    claimed_until: Date | null;
    /** Of the attempt that is in flight. */
    claim_id: string | null;
    /** Why the last attempt failed. */
    reason: string | null;
    /** When it was dead-lettered; null: it is due, or in flight. */
    dead_at: Date | null;
    request_id: string | null;
    trace: ColumnType<TraceHeaders | null, string | null | undefined, string | null>;
  };
}

/**
 * In the column by which the release before has claimed a row: the row has a job, and no process of that release claims it (ADR
 * 0087). The columns of those claims go with the next release.
 */
export const hasJob = new Date('9999-12-31T00:00:00Z');

/** The statements that create the table of the jobs of a service. For a migration. */
export const createJobTable = `
  create table job (
    business_id   uuid,
    kind          text not null,
    id            text not null,
    since         timestamptz not null,
    due_at        timestamptz not null,
    attempts      integer not null default 0,
    claimed_until timestamptz,
    claim_id      uuid,
    reason        text,
    dead_at       timestamptz,
    request_id    text,
    trace         json,
    constraint job_key unique nulls not distinct (kind, id, business_id),
    constraint job_claim_check check ((claimed_until is null) = (claim_id is null)),
    constraint job_dead_check check (dead_at is null or (reason is not null and claim_id is null))
  );
  create index job_due_idx on job (kind, due_at) where dead_at is null;
  comment on table job is 'Slow work of this service, until it is done: one row for each piece, whatever its kind.';
  comment on column job.business_id is 'Null: it is about no business.';
  comment on column job.id is 'Of what it is about: unique in its kind and business.';
  comment on column job.since is 'When it was requested.';
  comment on column job.attempts is 'Attempts that have begun.';
  comment on column job.claim_id is 'Of the attempt that is in flight: no other stores an outcome.';
  comment on column job.reason is 'Why the last attempt failed.';
  comment on column job.dead_at is 'When it was dead-lettered; null: it is due, or in flight.';
  ${enableTenantIsolation('job')}
`;
