import {
  type Business,
  type CustomerInput,
  type CustomerSnapshot,
  documentIssued,
  type IssuedDocument,
  resolveCustomer,
  streamOf,
} from '@pinkas/contracts';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  type ServiceUnderTest,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { CardRow } from '../src/card/card.repository.js';
import type { CustomerTables } from '../src/card/card.tables.js';
import { PurgeReservations } from '../src/card/purge-reservations.js';
import type { CustomerConfig } from '../src/config.js';
import { CustomerModule } from '../src/customer.module.js';
import { migrations } from '../src/db/migrations.js';

/** The customer service with the calls and events of issuing made by the test. */
export interface CustomerUnderTest extends ServiceUnderTest<CustomerTables> {
  business: Business;
  clock: { now: Date };
  resolve(customer: CustomerInput, businessId?: string): Promise<CustomerSnapshot>;
  /** Publishes the event of a document for this customer. */
  publishIssued(customer: CustomerSnapshot): Promise<IssuedDocument>;
  /** Publishes it and waits until the card is real. */
  issueTo(customer: CustomerInput): Promise<CustomerSnapshot>;
  card(id: string): Promise<CardRow | undefined>;
  /** Makes the server forget the consumer, so that every event comes again; waits until all were taken. */
  redeliverAll(): Promise<void>;
}

export async function startCustomer(): Promise<CustomerUnderTest> {
  const clock = { now: new Date('2026-06-15T08:00:00Z') };
  const tested = await startServiceUnderTest<CustomerTables, CustomerConfig>({
    service: {
      name: 'customer',
      module: CustomerModule,
      backgrounds: [PurgeReservations],
      clock: { now: () => clock.now },
    },
    migrations,
    config: {},
  });
  const business = exampleBusiness();
  const made: CustomerUnderTest = {
    ...tested,
    business,
    clock,
    resolve: async (customer, businessId = business.id) =>
      (await tested.network.ask(resolveCustomer, { business_id: businessId, customer })).customer,
    publishIssued: async (customer) => {
      const document = exampleDocument({ business_id: business.id, customer });
      await tested.network.publish(documentIssued, document.id, { document, business });
      return document;
    },
    issueTo: async (input) => {
      const customer = await made.resolve(input);
      const before = await tested.database.db
        .selectFrom('inbox')
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      await made.publishIssued(customer);
      await eventually('the card is written', async () => {
        const { count } = await tested.database.db
          .selectFrom('inbox')
          .select((select) => select.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        return count > before.count;
      });
      return customer;
    },
    card: (id) => tested.database.db.selectFrom('card').selectAll().where('id', '=', id).executeTakeFirst(),
    redeliverAll: async () => {
      const stream = streamOf('issuing').name;
      const { consumers } = await tested.network.connection.jetstreamManager();
      await consumers.delete(stream, 'customer-cards');
      await eventually('every event was taken again', async () => {
        const found = await consumers.info(stream, 'customer-cards');
        return found.delivered.stream_seq > 0 && found.num_pending === 0 && found.num_ack_pending === 0;
      });
    },
  };
  return made;
}
