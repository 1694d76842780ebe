import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Counter, Metrics } from '../metrics.js';

/**
 * What became of a step: `handled` or `swept` took effect, from the stream (or by hand) or from the sweep; `failed` is one try;
 * `parked` was given up.
 */
export type StepOutcome = 'handled' | 'swept' | 'failed' | 'parked';

/** Counts what becomes of the steps of one process. */
export type StepCounter = Counter<'consumer' | 'outcome'>;

/** Registers what tells of the steps and the queues of one service. */
export function messagingMetrics(metrics: Metrics, db: Kysely<MessagingTables>): StepCounter {
  metrics.gauge('pinkas_dead_letters', 'Steps that were given up and wait for an operator.', async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from dead_letter`.execute(db);
    return rows[0]?.count ?? 0;
  });
  metrics.gauge('pinkas_outbox_unsent', 'Announcements that JetStream has not had yet.', async () => {
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from outbox where sent_at is null`.execute(db);
    return rows[0]?.count ?? 0;
  });
  metrics.gauge(
    'pinkas_outbox_oldest_unsent_seconds',
    'The age of the oldest announcement that JetStream has not had yet; 0 where there is none.',
    async () => {
      const { rows } = await sql<{ seconds: number }>`
        select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as seconds
        from outbox where sent_at is null
      `.execute(db);
      return rows[0]?.seconds ?? 0;
    },
  );
  return metrics.counter('pinkas_steps_handled_total', 'What became of the steps that events start.', [
    'consumer',
    'outcome',
  ]);
}
