import { type RawBuilder, sql } from 'kysely';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import type { FaultSystem } from './system.js';

/** A step that is not finished. */
export interface UnfinishedStep {
  document_id: string;
  state: string;
  attempts: number;
  /** The seconds until it is attempted again; less than zero when it is late. */
  due_s: number;
}

/** Requests for numbers and reports of donations. */
export async function unfinishedRequests(
  system: FaultSystem,
  businessIds: readonly string[],
): Promise<UnfinishedStep[]> {
  return unfinishedSteps(
    system,
    'allocation',
    sql`select document_id, state, attempts, greatest(next_attempt_at, claimed_until) as due_at
      from allocation where state = 'pending' and business_id = any(${businessIds})`,
  );
}

export async function unfinishedMessages(
  system: FaultSystem,
  businessIds: readonly string[],
): Promise<UnfinishedStep[]> {
  return unfinishedSteps(
    system,
    'delivery',
    sql`select document_id, state, attempts, greatest(next_attempt_at, claimed_until, held_until) as due_at
      from delivery where state in ('waiting', 'ready', 'sending') and business_id = any(${businessIds})`,
  );
}

async function unfinishedSteps(
  system: FaultSystem,
  service: 'allocation' | 'delivery',
  steps: RawBuilder<unknown>,
): Promise<UnfinishedStep[]> {
  const administrator = await DatabaseAdministrator.connect(system.stack);
  try {
    return await administrator.read<UnfinishedStep>(
      service,
      sql`select document_id, state, attempts, extract(epoch from due_at - clock_timestamp())::float as due_s
        from (${steps}) as step order by due_at`,
    );
  } finally {
    await administrator.close();
  }
}

/** Lets the requests that wait for a later attempt be made now, as time would. @returns how many are not finished. */
export async function bringForward(system: FaultSystem, businessIds: readonly string[]): Promise<number> {
  const administrator = await DatabaseAdministrator.connect(system.stack);
  try {
    await administrator.change(
      'allocation',
      sql`update allocation set next_attempt_at = now()
        where state = 'pending' and next_attempt_at > now() and business_id = any(${businessIds})`,
    );
  } finally {
    await administrator.close();
  }
  return (await unfinishedRequests(system, businessIds)).length;
}
