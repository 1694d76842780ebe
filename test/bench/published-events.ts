import type { EventContract } from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import type { RunningStack } from '../harness/running-stack.js';

/** After this time events that are still missing are called lost. */
const patienceMs = 300_000;

/**
 * Waits until every document has the event, read where its owner stores it, so that no outage of NATS hides one.
 * @returns when it was stored first, by document, in milliseconds since 1970 on the clock of PostgreSQL.
 * @throws when that takes more than five minutes.
 */
export async function timesOfAll(
  stack: RunningStack,
  ids: readonly string[],
  { owner, subject }: EventContract,
): Promise<Map<string, number>> {
  const db = await stack.database<MessagingTables>(owner);
  const subjects = ids.map((id) => `${subject}.${id}`);
  return eventually(
    `${ids.length} documents have the event ${subject}`,
    async () => {
      const rows = await db
        .selectFrom('outbox')
        .select((item) => ['subject', item.fn.min('created_at').as('at')])
        .where('subject', 'in', subjects)
        .groupBy('subject')
        .execute();
      const idOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);
      return rows.length === ids.length && new Map(rows.map((row) => [idOf(row.subject), row.at.getTime()]));
    },
    patienceMs,
  );
}
