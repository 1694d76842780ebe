import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import {
  type Business,
  type CustomerCard,
  type CustomerInput,
  type CustomerSnapshot,
  cardChanged,
  consumers,
  type IssuedDocument,
  releaseCustomer,
  resolveCustomer,
  searchCustomers,
  streamOf,
} from '@pinkas/contracts';
import { ApiError, type Database, newContext, withContext } from '@pinkas/service-kit';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  type ServiceUnderTest,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { CardRow } from '../src/card/card.repository.js';
import type { CustomerTables } from '../src/card/card.tables.js';
import type { CustomerConfig } from '../src/config.js';
import { backgroundTasks, CustomerModule } from '../src/customer.module.js';
import { migrations } from '../src/db/migrations.js';

/** The customer service with the calls and events of issuing made by the test. */
export interface CustomerUnderTest extends ServiceUnderTest<CustomerTables> {
  /** A new one for each test, so that no test meets the cards of another. */
  business: Business;
  clock: { now: Date };
  /** The tables with the rows of every business. */
  db: Database<CustomerTables>;
  resolve(
    customer: CustomerInput,
    options?: { businessId?: string; documentId?: string; timeoutMs?: number },
  ): Promise<CustomerSnapshot>;
  /** Whether a document changes its card, as its resolution said. */
  changes: Map<string, boolean | undefined>;
  release(documentId: string, businessId?: string): Promise<void>;
  search(query: string | null, limit?: number, businessId?: string): Promise<CustomerCard[]>;
  /** Publishes the event of a document for this customer. */
  publishIssued(customer: CustomerSnapshot, documentId?: string): Promise<IssuedDocument>;
  /** Publishes it and waits until it was recorded. */
  publishAndWait(customer: CustomerSnapshot, documentId?: string): Promise<void>;
  /** Resolves the customer, publishes the event of its document, and waits until the card is real. */
  issueTo(customer: CustomerInput): Promise<CustomerSnapshot>;
  card(id: string): Promise<CardRow | undefined>;
  /** What is reserved for a document. */
  reservations(documentId: string): Promise<{ card_id: string; tax_id: string | null }[]>;
  /** Makes the server forget the consumer, so that every event comes again; waits until all were taken. */
  redeliverAll(): Promise<void>;
}

export async function startCustomer(): Promise<CustomerUnderTest> {
  const clock = { now: new Date('2026-06-15T08:00:00Z') };
  const tested = await startServiceUnderTest<CustomerTables, CustomerConfig>({
    service: {
      name: 'customer',
      module: CustomerModule,
      backgroundTasks,
      clock: { now: () => clock.now },
    },
    migrations,
    config: {},
  });
  const { db } = tested.database;
  const made: CustomerUnderTest = {
    ...tested,
    business: exampleBusiness(),
    clock,
    db,
    changes: new Map(),
    resolve: async (
      customer,
      { businessId = made.business.id, documentId = randomUUID(), timeoutMs = 20_000 } = {},
    ) => {
      const request = { business_id: businessId, customer, document_id: documentId };
      const reply = await withContext(newContext(timeoutMs), () =>
        tested.network.client.call(resolveCustomer, request),
      );
      made.changes.set(documentId, reply.changes);
      return reply.customer;
    },
    release: async (documentId, businessId = made.business.id) => {
      await tested.network.call(releaseCustomer, { business_id: businessId, document_id: documentId });
    },
    search: async (query, limit = 20, businessId = made.business.id) =>
      (await tested.network.call(searchCustomers, { business_id: businessId, query, limit })).customers,
    publishIssued: async (customer, documentId = randomUUID()) => {
      const document = exampleDocument({ id: documentId, business_id: made.business.id, customer });
      const { business_id, issued_at } = document;
      const event = { business_id, document_id: documentId, customer, issued_at };
      await tested.network.publish(cardChanged, documentId, event);
      return document;
    },
    publishAndWait: async (customer, documentId) => {
      const recorded = async () => {
        const { count } = await db
          .selectFrom('inbox')
          .select((select) => select.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        return count;
      };
      const before = await recorded();
      await made.publishIssued(customer, documentId);
      await eventually('the event is recorded', async () => (await recorded()) > before);
    },
    issueTo: async (input) => {
      const documentId = randomUUID();
      const customer = await made.resolve(input, { documentId });
      await made.publishAndWait(customer, documentId);
      return customer;
    },
    reservations: (documentId) =>
      db
        .selectFrom('reservation')
        .select(['card_id', 'tax_id'])
        .where('document_id', '=', documentId)
        .execute(),
    card: (id) => db.selectFrom('card').selectAll().where('id', '=', id).executeTakeFirst(),
    redeliverAll: async () => {
      const stream = streamOf('issuing').name;
      const manager = await tested.network.streamManager();
      await manager.consumers.delete(stream, consumers.recordCustomer.durable);
      await eventually('every event was taken again', async () => {
        const found = await manager.consumers.info(stream, consumers.recordCustomer.durable);
        return found.delivered.stream_seq > 0 && found.num_pending === 0 && found.num_ack_pending === 0;
      });
    },
  };
  return made;
}

/** The card that an attempt conflicts with. */
export async function conflictOf(attempt: Promise<unknown>): Promise<unknown> {
  const apiError = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(apiError).toBeInstanceOf(ApiError);
  expect((apiError as ApiError).code).toBe('customer_identity_conflict');
  return (apiError as ApiError).details?.existing_customer_id;
}
