import { Controller, Module } from '@nestjs/common';
import { type EventOf, getUsage, messageDue, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, type MessagingTables, type Transaction } from '@pinkas/service-kit';
import type { ServiceConfig } from '@pinkas/service-kit/config';
import { enableTenantIsolation, type Migrations, sqlMigration } from '@pinkas/service-kit/schema';
import {
  exampleBusiness,
  exampleDocument,
  exampleDue,
  ServiceUnderTest,
  startServiceUnderTest,
} from '@pinkas/testkit';
import { EventValidators } from '../src/events/event-validators.js';
import { asOutboxTransaction, OutboxBuffer, type OutboxTransaction } from '../src/events/outbox/publish.js';
import { ApiError, EventHandler, InjectDatabase, Operation } from '../src/index.js';

/** A service with one operation and one consumer, to try the kit on. */
export interface ProbeTables extends MessagingTables {
  effect: { business_id: string; document_id: string };
}

/** What the probe does when it is asked, or when an event comes; replaced by the tests. */
export const probe = {
  answer: async (): Promise<number> => 7,
  /** What its answer holds that the contract does not name. */
  more: {},
  prepare: async (_event: EventOf<typeof messageDue>): Promise<void> => {},
  handled: async (_event: EventOf<typeof messageDue>, _trx: Transaction<ProbeTables>): Promise<void> => {},
  committed: (_event: EventOf<typeof messageDue>): void => {},
};

@Controller()
class AnswerUsage {
  constructor(@InjectDatabase() readonly db: Database<ProbeTables>) {}

  @Operation(getUsage)
  async answer(request: RequestOf<typeof getUsage>): Promise<ReplyOf<typeof getUsage>> {
    if (request.key_id === request.business_id) {
      throw new ApiError('not_found', { details: { why: 'equal' } });
    }
    return { used_today: await probe.answer(), ...probe.more };
  }
}

@EventHandler({ service: 'delivery', event: messageDue, durable: 'probe-effects' })
class KeepEffect {
  async prepare(event: EventOf<typeof messageDue>): Promise<void> {
    await probe.prepare(event);
  }

  async handle(event: EventOf<typeof messageDue>, trx: Transaction<ProbeTables>): Promise<void> {
    const { id, business_id } = event.document;
    await trx.insertInto('effect').values({ business_id, document_id: id }).execute();
    await probe.handled(event, trx);
  }

  committed(event: EventOf<typeof messageDue>): void {
    probe.committed(event);
  }
}

@Module({ controllers: [AnswerUsage], providers: [KeepEffect] })
class ProbeModule {}

/** The probe replaces the delivery service. */
export const probeService = { name: 'delivery', module: ProbeModule } as const;

export const probeMigrations: Migrations = {
  '0002-effects': sqlMigration(`
    create table effect (business_id uuid not null, document_id uuid not null);
    ${enableTenantIsolation('effect')}
  `),
};

export function startProbe(config: Partial<ServiceConfig> = {}): Promise<ServiceUnderTest<ProbeTables>> {
  return startServiceUnderTest(ServiceUnderTest<ProbeTables>, {
    service: probeService,
    migrations: probeMigrations,
    config,
  });
}

/** Publishes in a transaction whose events no one sends after the commit, as where the process dies then. */
export function publishUnsent<Tables extends MessagingTables, T>(
  db: Database<Tables>,
  work: (trx: OutboxTransaction<Tables>) => Promise<T>,
): Promise<T> {
  const buffer = new OutboxBuffer(new EventValidators());
  return db.transaction().execute((trx) => work(asOutboxTransaction(trx, buffer)));
}

/** An event of a document of its own, for the probe to handle. */
export function newEvent(business = exampleBusiness()): EventOf<typeof messageDue> {
  return exampleDue(exampleDocument({ business_id: business.id }), business);
}
