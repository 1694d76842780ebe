import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { documentIssued, type EventOf, eventSubject } from '@pinkas/contracts';
import { createTestDatabase, eventually, serviceConfig, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import {
  announce,
  type MessagingTables,
  newContext,
  Relay,
  type RunningService,
  type SaidTrace,
  type ServiceConfig,
  SpanKind,
  startService,
  Tracing,
} from '../src/index.js';
import { messagingAges, messagingSweep, messagingTables, messagingTraces } from '../src/schema.js';

@Module({})
class AnnouncingModule {}

type Issued = EventOf<typeof documentIssued>;

/** A service that stands where issuing would, and does nothing but announce. */
export class AnnouncingService {
  #service: RunningService | undefined;

  private constructor(
    readonly database: TestDatabase<MessagingTables>,
    private readonly config: ServiceConfig,
  ) {}

  static async start(natsUrl: string, change: Partial<ServiceConfig> = {}): Promise<AnnouncingService> {
    const database = await createTestDatabase<MessagingTables>({
      '0001-messaging': messagingTables,
      '0002-sweep': messagingSweep,
      '0003-ages': messagingAges,
      '0004-traces': messagingTraces,
    });
    const config = { ...serviceConfig({ natsUrl, databaseUrl: database.url }), sweepAgeMs: 0, ...change };
    const made = new AnnouncingService(database, config);
    await made.comeBack();
    return made;
  }

  /** Announces as every service does, and waits until the stream has it. */
  async announce(event: Issued): Promise<void> {
    const relay = this.#service?.app.get(Relay);
    if (!relay) throw new Error('the announcing service is away');
    const { db } = this.database;
    await relay.transaction(db, (trx) => announce(trx, documentIssued, event.document.id, event));
    await eventually('it is marked as sent', async () => {
      const unsent = await db.selectFrom('outbox').select('id').where('sent_at', 'is', null).execute();
      return unsent.length === 0;
    });
  }

  /** Announces as a request does that belongs to a trace. */
  async announceIn(carrier: SaidTrace, event: Issued): Promise<void> {
    const tracing = this.#service?.app.get(Tracing);
    if (!tracing) throw new Error('the announcing service is away');
    const described = { kind: SpanKind.INTERNAL };
    await tracing.enter(newContext(10_000), carrier, 'announcing', described, () => this.announce(event));
  }

  /** Announces what its stream never gets: as far as the service knows, it was sent an hour ago. */
  async announceIntoTheVoid(event: Issued, id: string = randomUUID(), trace?: SaidTrace): Promise<void> {
    await this.database.db
      .insertInto('outbox')
      .values({
        id,
        subject: eventSubject(documentIssued, event.document.id),
        body: JSON.stringify(event),
        request_id: null,
        trace: trace ? JSON.stringify(trace) : null,
        sent_at: sql`now() - interval '1 hour'`,
      })
      .execute();
  }

  /** Makes everything so old that no relay sends it again: what is lost of it can only be found by a sweep. */
  async age(): Promise<void> {
    await this.database.db.updateTable('outbox').set({ sent_at: sql`now() - interval '1 hour'` }).execute();
  }

  async comeBack(): Promise<void> {
    this.#service = await startService({ name: 'issuing', module: AnnouncingModule, config: this.config });
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
