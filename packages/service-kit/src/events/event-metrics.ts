import { type Kysely, sql } from 'kysely';
import type { Counter, Histogram, Metrics } from '../process/metrics.js';
import type { MessagingTables } from './messaging.tables.js';
import { readersOf } from './outbox/reader.repository.js';

/** The metrics of the event handlers of one process. */
export interface EventMetrics {
  /**
   * `handled` took effect; `reconciled` was found missing, and made due; `failed` is one attempt; `dead_lettered` was the last one.
   */
  readonly outcomes: Counter<'consumer' | 'outcome'>;
  readonly durations: Histogram<'consumer'>;
}

/**
 * Registers the metrics of the outbox, the dead letters and the event handlers of one service.
 * @param readers the consumers of its events.
 */
export function eventMetrics(
  metrics: Metrics,
  db: Kysely<MessagingTables>,
  readers: readonly string[],
): EventMetrics {
  metrics.gauge('pinkas_dead_letters', 'Dead letters.', async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from dead_letter`.execute(db);
    return rows[0]?.count ?? 0;
  });
  metrics.gauge('pinkas_outbox_unsent', 'Outbox events that JetStream has not acknowledged.', async () => {
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from outbox where sent_at is null`.execute(db);
    return rows[0]?.count ?? 0;
  });
  metrics.gauge(
    'pinkas_outbox_oldest_unsent_seconds',
    'Age of the oldest outbox event that JetStream has not acknowledged; 0 where there is none.',
    async () => {
      const { rows } = await sql<{ seconds: number }>`
        select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as seconds
        from outbox where sent_at is null
      `.execute(db);
      return rows[0]?.seconds ?? 0;
    },
  );
  metrics.gauges(
    'pinkas_outbox_oldest_unread_seconds',
    'Age of the oldest outbox event that a consumer has not read yet; 0 where there is none.',
    'consumer',
    async () =>
      (await readersOf(db, readers)).map(({ consumer, unreadSeconds }) => [consumer, unreadSeconds]),
  );
  return {
    outcomes: metrics.counter(
      'pinkas_events_handled_total',
      'Attempts to handle an event by outcome: handled, reconciled, failed or dead_lettered.',
      ['consumer', 'outcome'],
    ),
    durations: metrics.histogram(
      'pinkas_event_duration_seconds',
      'Duration of attempts to handle an event, whatever their outcome.',
      ['consumer'],
    ),
  };
}

/** A consumer with the number of events that its stream still has for it. */
interface PendingEvents {
  readonly consumer: string;
  /** Those in flight included. */
  pending(): Promise<number>;
}

/** Registers the metrics of the events that each consumer of a service has not handled yet. */
export function pendingMetrics(
  metrics: Metrics,
  db: Kysely<MessagingTables>,
  consumers: readonly PendingEvents[],
): void {
  metrics.gauges(
    'pinkas_events_pending',
    'Events that a stream still has for a consumer, those in flight included.',
    'consumer',
    () => Promise.all(consumers.map(async (item) => [item.consumer, await item.pending()] as const)),
  );
  const overdue = () => overdueEvents(db, consumers);
  metrics.gauges(
    'pinkas_events_overdue',
    'Events that failed once, or that a reconciler found missing, and that are neither handled nor dead-lettered.',
    'consumer',
    async () => (await overdue()).map(({ consumer, count }) => [consumer, count]),
  );
  metrics.gauges(
    'pinkas_events_oldest_overdue_seconds',
    'Time since the oldest overdue event failed, or was found missing; 0 where there is none.',
    'consumer',
    async () => (await overdue()).map(({ consumer, seconds }) => [consumer, seconds]),
  );
}

/** The events of each consumer that are due again. */
async function overdueEvents(
  db: Kysely<MessagingTables>,
  consumers: readonly PendingEvents[],
): Promise<{ consumer: string; count: number; seconds: number }[]> {
  const names = consumers.map(({ consumer }) => consumer);
  const { rows } = await sql<{ consumer: string; count: number; seconds: number }>`
    select named.consumer, count(due.message_id)::int as count,
      coalesce(extract(epoch from clock_timestamp() - min(due.first_due_at)), 0)::float8 as seconds
    from unnest(${names}::text[]) as named (consumer)
    left join due_event as due on due.consumer = named.consumer
    group by named.consumer
  `.execute(db);
  return rows;
}
