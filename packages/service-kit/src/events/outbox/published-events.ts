import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { type ServiceName, streamOf } from '@pinkas/contracts';
import type { Kysely, Transaction } from 'kysely';
import { outboxMessageId } from '../inbox/message-id.js';
import type { MessagingTables } from '../messaging.tables.js';

/** How many of the last messages of the stream are compared, four of a document at most: those before a failover are among them. */
const comparedMax = 1_024;
/** The outbox keeps an event for longer. */
const comparedDays = 3;
const dayMs = 24 * 60 * 60 * 1000;

/** An event that was published, and that the outbox does not have. */
interface LostEvent {
  readonly id: string;
  /** With the id of the document at its end. */
  readonly subject: string;
  readonly publishedAt: Date;
}

/** What JetStream has of a service's events: the record outside of the database of what the database has committed (ADR 0046). */
export class PublishedEvents {
  constructor(
    private readonly manager: () => Promise<JetStreamManager>,
    private readonly service: ServiceName,
  ) {}

  /**
   * Compares the last events of the stream with the outbox. An event is published after its commit: a database that does not have
   * it has lost commits.
   * @returns the newest event that the outbox lacks; undefined where it has all of them, or the stream has none.
   * @throws where JetStream does not answer.
   */
  async findLost<Tables extends MessagingTables>(
    db: Kysely<Tables> | Transaction<Tables>,
  ): Promise<LostEvent | undefined> {
    const published = await this.#newest();
    if (published.length === 0) {
      return undefined;
    }
    const stored = await (db as unknown as Kysely<MessagingTables>)
      .selectFrom('outbox')
      .select('id')
      .where(
        'id',
        'in',
        published.map(({ id }) => id),
      )
      .execute();
    const ids = new Set(stored.map(({ id }) => id));
    return published.find(({ id }) => !ids.has(id));
  }

  /** The last events, newest first. */
  async #newest(): Promise<LostEvent[]> {
    const { streams } = await this.manager();
    const { name } = streamOf(this.service);
    const last = await lastSequence(() => streams.info(name));
    const sequences = Array.from({ length: Math.min(last, comparedMax) }, (_, index) => last - index);
    const messages = await Promise.all(sequences.map((seq) => streams.getMessage(name, { seq })));
    return messages.flatMap((message) => {
      const id = message && outboxMessageId(message.header?.get('Nats-Msg-Id'));
      return id && message.time.getTime() > Date.now() - comparedDays * dayMs
        ? [{ id, subject: message.subject, publishedAt: message.time }]
        : [];
    });
  }
}

/** Zero where the stream does not exist. */
async function lastSequence(info: () => Promise<{ state: { last_seq: number } }>): Promise<number> {
  try {
    return (await info()).state.last_seq;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) {
      return 0;
    }
    throw error;
  }
}
