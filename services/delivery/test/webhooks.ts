import { randomUUID } from 'node:crypto';
import {
  type ApiEvent,
  type Business,
  createEndpoint,
  type DocumentEventType,
  documentEventDue,
  type EventOf,
  type IssuedDocument,
  listEvents,
  listWebhookAttempts,
  type ReplyOf,
  type RequestOf,
  showBusiness,
  showEndpoint,
  startEvents,
  toEventId,
  type WebhookAttempt,
  type WebhookEndpoint,
} from '@pinkas/contracts';
import { eventually, exampleBusiness, exampleDocument, WebhookReceiver } from '@pinkas/testkit';
import { AddressResolver } from '../src/webhook/address-resolver.js';
import { type DeliveryUnderTest, headOf, startDelivery } from './delivery.js';

type DocumentEvent = EventOf<typeof documentEventDue>;

/** The delivery service with receivers of webhooks, and with the events of issuing made by the test. */
export interface WebhooksUnderTest extends DeliveryUnderTest {
  /** The addresses of names, in place of the DNS. */
  names: Map<string, readonly string[]>;
  /** How often a name was resolved. */
  lookups: string[];
  /** The businesses whose events have begun. */
  started: string[];
  receiver(certificateOf?: string): Promise<WebhookReceiver>;
  createEndpoint(
    url: string,
    change?: Partial<RequestOf<typeof createEndpoint>>,
  ): Promise<ReplyOf<typeof createEndpoint>>;
  endpoint(id: string): Promise<WebhookEndpoint>;
  /** Makes an event of issuing, with the next number of the business unless it names one. */
  documentEvent(change?: Partial<DocumentEvent> & { document?: Partial<IssuedDocument> }): DocumentEvent;
  /** Publishes an event of issuing. @returns its id. */
  publishEvent(event?: DocumentEvent): Promise<string>;
  log(endpointId: string): Promise<WebhookAttempt[]>;
  /** Waits until an endpoint has so many attempts. */
  attemptsOf(endpointId: string, count: number): Promise<WebhookAttempt[]>;
  listed(query?: Partial<RequestOf<typeof listEvents>>): Promise<{ events: ApiEvent[]; next_after: number }>;
  /** Gives tests a business of their own. */
  newBook(change?: Partial<Business>): Business;
}

export async function startWebhooks(): Promise<WebhooksUnderTest> {
  const delivery = await startDelivery();
  const receivers: WebhookReceiver[] = [];
  const sequences = new Map<string, number>();
  const { network, stop } = delivery;
  const made: WebhooksUnderTest = Object.assign(delivery, {
    names: new Map<string, readonly string[]>(),
    lookups: [] as string[],
    started: [] as string[],
    receiver: async (certificateOf?: string) => {
      const receiver = await WebhookReceiver.start(certificateOf);
      receivers.push(receiver);
      return receiver;
    },
    createEndpoint: (url: string, change: Partial<RequestOf<typeof createEndpoint>> = {}) =>
      network.call(createEndpoint, { business_id: made.business.id, url, ...change }),
    endpoint: async (id: string) => (await network.call(showEndpoint, { endpoint_id: id })).endpoint,
    documentEvent: ({
      document,
      ...change
    }: Partial<DocumentEvent> & { document?: Partial<IssuedDocument> } = {}) => {
      const { id } = made.business;
      const sequence = change.sequence ?? (sequences.get(id) ?? 0) + 1;
      sequences.set(id, Math.max(sequence, sequences.get(id) ?? 0));
      return {
        business_id: id,
        event_id: randomUUID(),
        occurred_at: delivery.clock.now.toISOString(),
        type: 'document.issued' as DocumentEventType,
        sequence,
        listed: {
          document: headOf(exampleDocument({ business_id: id, number: sequence, ...document })),
          state: { status: 'open' as const, paid: 0, allocation_number: null, cancelled_at: null },
          allocation: { status: 'not_required' as const, number: null, reason: 'The net is small.' },
          delivery: { status: 'disabled' as const, channel: null, scheduled_for: null },
        },
        ...change,
      };
    },
    publishEvent: async (event = made.documentEvent()) => {
      await network.publish(documentEventDue, event.listed.document.id, event);
      return toEventId(event.event_id);
    },
    log: async (endpoint_id: string) =>
      (await network.call(listWebhookAttempts, { endpoint_id, limit: 50 })).attempts,
    attemptsOf: (endpoint_id: string, count: number) =>
      eventually(`${count} attempts are in the log`, async () => {
        const attempts = await made.log(endpoint_id);
        return attempts.length >= count && attempts;
      }),
    listed: async (query: Partial<RequestOf<typeof listEvents>> = {}) => {
      const request = { business_id: made.business.id, after: 0, limit: 100, ...query };
      const { events, next_after } = await network.call(listEvents, request);
      return { events: events.map((text) => JSON.parse(text) as ApiEvent), next_after };
    },
    newBook: (change: Partial<Business> = {}) => {
      made.business = exampleBusiness({ events: true, ...change });
      return made.business;
    },
    stop: async () => {
      await Promise.all(receivers.map((receiver) => receiver.stop()));
      await stop();
    },
  });
  delivery.service.app.get(AddressResolver).resolve = (host) => {
    made.lookups.push(host);
    return Promise.resolve(made.names.get(host) ?? []);
  };
  network.answer(startEvents, ({ business_id }) => {
    made.started.push(business_id);
    return { business: { ...made.business, id: business_id } };
  });
  network.answer(showBusiness, ({ business_id }) => ({
    business: {
      ...made.business,
      id: business_id,
      email: business_id === made.business.id ? made.business.email : null,
    },
    settings_version: '0'.repeat(64),
    view_url_base: '',
    pdf_url_base: '',
    api_enabled: true,
  }));
  return made;
}
