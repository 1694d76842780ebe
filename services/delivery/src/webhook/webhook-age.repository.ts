import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { waitingEndpoints } from './webhook.repository.js';

const secondsBefore = (now: Date, at: Date | null | undefined): number =>
  at ? Math.max(0, (now.getTime() - at.getTime()) / 1_000) : 0;

/** How long the oldest due webhook of an enabled endpoint that does not fail has been due. */
export async function oldestDueSeconds(all: Database<DeliveryTables>, now: Date): Promise<number> {
  const { rows } = await sql<{ at: Date | null }>`
    with recursive ${waitingEndpoints}
    select min(first.next_attempt_at) as at from endpoint cross join lateral (
      select next_attempt_at from webhook
      where business_id = endpoint.business_id and endpoint_id = endpoint.id and state = 'pending'
      order by next_attempt_at limit 1
    ) as first
    where not endpoint.is_failing`.execute(all);
  return secondsBefore(now, rows[0]?.at);
}

/** How long the oldest event has waited for one that was committed before it. */
export async function unlistedSeconds(all: Database<DeliveryTables>, now: Date): Promise<number> {
  const { at } = await all
    .selectFrom('event')
    .select(({ fn }) => fn.min('stored_at').as('at'))
    .where('position', 'is', null)
    .executeTakeFirstOrThrow();
  return secondsBefore(now, at);
}
