import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Counter, Histogram, Metrics } from '../metrics.js';

/**
 * What became of a step: `handled` or `swept` took effect, from the stream (or by hand) or from the sweep; `failed` is one try;
 * `parked` was given up.
 */
export type StepOutcome = 'handled' | 'swept' | 'failed' | 'parked';

/** What is told of the steps of one process. */
export interface StepMetrics {
  readonly outcomes: Counter<'consumer' | 'outcome'>;
  readonly durations: Histogram<'consumer'>;
}

/** Registers what tells of the steps and the queues of one service. */
export function messagingMetrics(metrics: Metrics, db: Kysely<MessagingTables>): StepMetrics {
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
  return {
    outcomes: metrics.counter('pinkas_steps_handled_total', 'What became of the steps that events start.', [
      'consumer',
      'outcome',
    ]),
    durations: metrics.histogram(
      'pinkas_step_duration_seconds',
      'How long one try of a step took, whatever it came to.',
      ['consumer'],
    ),
  };
}

/** A consumer, and how many events its stream still has for it. */
export interface Waiting {
  readonly consumer: string;
  /** Those under way and those that wait for their next try included. */
  waiting(): Promise<number>;
}

/** Registers what tells of the steps that wait, for each consumer of a service. */
export function waitingMetrics(
  metrics: Metrics,
  db: Kysely<MessagingTables>,
  consumers: readonly Waiting[],
): void {
  metrics.gauges(
    'pinkas_steps_waiting',
    'Events that a stream still has for a consumer, those under way included.',
    'consumer',
    () => Promise.all(consumers.map(async (one) => [one.consumer, await one.waiting()] as const)),
  );
  const overdue = () => overdueOf(db, consumers);
  metrics.gauges(
    'pinkas_steps_overdue',
    'Steps that did not take effect in the time of their stream, and are not parked.',
    'consumer',
    async () => (await overdue()).map(({ consumer, count }) => [consumer, count]),
  );
  metrics.gauges(
    'pinkas_steps_oldest_overdue_seconds',
    'For how long the oldest of those steps has been overdue; 0 where there is none.',
    'consumer',
    async () => (await overdue()).map(({ consumer, seconds }) => [consumer, seconds]),
  );
}

/** What SQL knows of each consumer's overdue steps: those that its sweep has tried, and that are still owed. */
async function overdueOf(
  db: Kysely<MessagingTables>,
  consumers: readonly Waiting[],
): Promise<{ consumer: string; count: number; seconds: number }[]> {
  const names = consumers.map((one) => one.consumer);
  const { rows } = await sql<{ consumer: string; count: number; seconds: number }>`
    select named.consumer, count(owed.message_id)::int as count,
      coalesce(extract(epoch from clock_timestamp() - min(owed.first_tried_at)), 0)::float8 as seconds
    from unnest(${names}::text[]) as named (consumer)
    left join sweep_try as owed on owed.consumer = named.consumer
      and not exists (
        select from inbox where inbox.consumer = owed.consumer and inbox.message_id = owed.message_id
      )
      and not exists (
        select from dead_letter
        where dead_letter.consumer = owed.consumer and dead_letter.message_id = owed.message_id
      )
    group by named.consumer
  `.execute(db);
  return rows;
}
