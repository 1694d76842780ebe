import { type EventContract, type ServiceName, serviceNames } from '@pinkas/contracts';
import {
  acrossTenants,
  createLogger,
  type Database,
  type MessagingTables,
  openDatabase,
} from '@pinkas/service-kit';
import type { BenchStack } from './stack.js';

const pollMs = 250;
/** After this time events that are still missing are called lost. */
const patienceMs = 300_000;

/** The events of documents, read where their owners store them, so that no outage of NATS hides one. */
export class PublishedEvents {
  private constructor(private readonly databases: ReadonlyMap<ServiceName, Database<MessagingTables>>) {}

  static open(stack: BenchStack): PublishedEvents {
    const logger = createLogger('bench', 'silent');
    return new PublishedEvents(
      new Map(
        serviceNames.map((service) => [
          service,
          acrossTenants(
            openDatabase<MessagingTables>({
              url: stack.file.postgres[service],
              poolSize: 1,
              applicationName: 'bench',
              logger,
            }),
          ),
        ]),
      ),
    );
  }

  /** When the event of each document was stored first, in milliseconds since 1970 on the clock of PostgreSQL. */
  async times(ids: readonly string[], event: EventContract): Promise<Map<string, number>> {
    const db = this.databases.get(event.owner);
    if (!db) {
      throw new Error(`${event.owner} has no database`);
    }
    const rows = await db
      .selectFrom('outbox')
      .select((item) => ['subject', item.fn.min('created_at').as('at')])
      .where(
        'subject',
        'in',
        ids.map((id) => `${event.subject}.${id}`),
      )
      .groupBy('subject')
      .execute();
    return new Map(
      rows.map(({ subject, at }) => [subject.slice(subject.lastIndexOf('.') + 1), at.getTime()]),
    );
  }

  /**
   * Waits until every document has the event.
   * @throws Error when that takes more than five minutes.
   */
  async all(ids: readonly string[], event: EventContract): Promise<Map<string, number>> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const times = await this.times(ids, event);
      if (times.size === ids.length) {
        return times;
      }
      if (performance.now() > end) {
        throw new Error(`${ids.length - times.size} documents lack the event ${event.subject}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.databases.values()].map((db) => db.destroy()));
  }
}
