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
} from '@pinkas/contracts';
import { ApiError, type Database } from '@pinkas/service-kit';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  ServiceUnderTest,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { CardRow } from '../src/card/card.repository.js';
import type { CustomerTables } from '../src/card/card.tables.js';
import type { CustomerConfig } from '../src/config.js';
import { backgroundTasks, CustomerModule } from '../src/customer.module.js';
import { migrations } from '../src/db/migrations.js';

/** The customer service with the calls and events of issuing made by the test. */
export class CustomerUnderTest extends ServiceUnderTest<CustomerTables, CustomerConfig> {
  /** A new one for each test, so that no test meets the cards of another. */
  business: Business = exampleBusiness();
  /** The tables with the rows of every business. */
  readonly db: Database<CustomerTables> = this.database.db;
  /** Whether a document changes its card, as its resolution said. */
  readonly changes = new Map<string, boolean | undefined>();

  async resolve(
    customer: CustomerInput,
    options: { businessId?: string; documentId?: string; timeoutMs?: number } = {},
  ): Promise<CustomerSnapshot> {
    const { businessId = this.business.id, documentId = randomUUID(), timeoutMs } = options;
    const request = { business_id: businessId, customer, document_id: documentId };
    const reply = await this.network.call(resolveCustomer, request, timeoutMs);
    this.changes.set(documentId, reply.changes);
    return reply.customer;
  }

  async release(documentId: string, businessId = this.business.id): Promise<void> {
    await this.network.call(releaseCustomer, { business_id: businessId, document_id: documentId });
  }

  async search(query: string | null, limit = 20, businessId = this.business.id): Promise<CustomerCard[]> {
    return (await this.network.call(searchCustomers, { business_id: businessId, query, limit })).customers;
  }

  /** Publishes the event of a document for this customer. */
  async publishIssued(
    customer: CustomerSnapshot,
    documentId: string = randomUUID(),
  ): Promise<IssuedDocument> {
    const document = exampleDocument({ id: documentId, business_id: this.business.id, customer });
    const { business_id, issued_at } = document;
    const event = { business_id, document_id: documentId, customer, issued_at };
    await this.network.publish(cardChanged, documentId, event);
    return document;
  }

  /** Publishes it and waits until it was recorded. */
  async publishAndWait(customer: CustomerSnapshot, documentId?: string): Promise<void> {
    const recorded = async () => {
      const { count } = await this.db
        .selectFrom('inbox')
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    };
    const before = await recorded();
    await this.publishIssued(customer, documentId);
    await eventually('the event is recorded', async () => (await recorded()) > before);
  }

  /** Resolves the customer, publishes the event of its document, and waits until the card is real. */
  async issueTo(input: CustomerInput): Promise<CustomerSnapshot> {
    const documentId = randomUUID();
    const customer = await this.resolve(input, { documentId });
    await this.publishAndWait(customer, documentId);
    return customer;
  }

  card(id: string): Promise<CardRow | undefined> {
    return this.db.selectFrom('card').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** What is reserved for a document. */
  reservations(documentId: string): Promise<{ card_id: string; tax_id: string | null }[]> {
    return this.db
      .selectFrom('reservation')
      .select(['card_id', 'tax_id'])
      .where('document_id', '=', documentId)
      .execute();
  }

  redeliverAll(): Promise<void> {
    return this.redeliver('issuing', consumers.recordCustomer.durable);
  }
}

export const startCustomer = (): Promise<CustomerUnderTest> =>
  startServiceUnderTest(CustomerUnderTest, {
    service: { name: 'customer', module: CustomerModule, backgroundTasks },
    clock: { now: new Date('2026-06-15T08:00:00Z') },
    migrations,
    config: {},
  });

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
