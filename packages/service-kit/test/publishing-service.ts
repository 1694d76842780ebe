import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { type EventOf, eventSubject, messageDue } from '@pinkas/contracts';
import { createTestDatabase, eventually, serviceConfig, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import {
  type MessagingTables,
  newContext,
  OutboxRelay,
  publish,
  type RunningService,
  SpanKind,
  startService,
  Tracing,
} from '../src/index.js';
import type { ServiceConfig } from '../src/process/config.js';
import type { IncomingTraceHeaders } from '../src/tracing/trace-headers.js';

@Module({})
class PublishingModule {}

type Issued = EventOf<typeof messageDue>;

/** A service in the place of issuing that only publishes. */
export class PublishingService {
  #service: RunningService | undefined;

  private constructor(
    readonly database: TestDatabase<MessagingTables>,
    private readonly config: ServiceConfig,
  ) {}

  static async start(natsUrl: string, change: Partial<ServiceConfig> = {}): Promise<PublishingService> {
    const database = await createTestDatabase<MessagingTables>({});
    const config = { ...serviceConfig({ natsUrl, databaseUrl: database.url }), reconcileAgeMs: 0, ...change };
    const made = new PublishingService(database, config);
    await made.comeBack();
    return made;
  }

  /** Publishes an event, and waits until the stream has it. */
  async publishEvent(event: Issued): Promise<void> {
    const relay = this.#service?.app.get(OutboxRelay);
    if (!relay) {
      throw new Error('the publishing service is stopped');
    }
    const { db } = this.database;
    await relay.transaction(db, (trx) => publish(trx, messageDue, event.document.id, event));
    await eventually('it is marked as sent', async () => {
      const unsent = await db.selectFrom('outbox').select('id').where('sent_at', 'is', null).execute();
      return unsent.length === 0;
    });
  }

  /** Publishes an event as part of a trace. */
  async publishInTrace(carrier: IncomingTraceHeaders, event: Issued): Promise<void> {
    const tracing = this.#service?.app.get(Tracing);
    if (!tracing) {
      throw new Error('the publishing service is stopped');
    }
    const described = { kind: SpanKind.INTERNAL };
    await tracing.startEntrySpan(newContext(10_000), carrier, 'publishing', described, () =>
      this.publishEvent(event),
    );
  }

  /** Stores an event that its stream never gets: it is marked as sent an hour ago. */
  async storeLostEvent(
    event: Issued,
    id: string = randomUUID(),
    trace?: IncomingTraceHeaders,
  ): Promise<void> {
    await this.database.db
      .insertInto('outbox')
      .values({
        id,
        subject: eventSubject(messageDue, event.document.id),
        body: JSON.stringify(event),
        request_id: null,
        trace: trace ? JSON.stringify(trace) : null,
        sent_at: sql`now() - interval '1 hour'`,
      })
      .execute();
  }

  /** Marks everything as sent an hour ago: what is lost can only be found by the reconciler. */
  async age(): Promise<void> {
    await this.database.db.updateTable('outbox').set({ sent_at: sql`now() - interval '1 hour'` }).execute();
  }

  async comeBack(): Promise<void> {
    this.#service = await startService({ name: 'issuing', module: PublishingModule, config: this.config });
  }

  async goAway(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  async stop(): Promise<void> {
    await this.goAway();
    await this.database.close();
  }
}
