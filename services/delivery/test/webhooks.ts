import { randomUUID } from 'node:crypto';
import {
  type ApiEvent,
  type Business,
  createEndpoint,
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
import { DeliveryUnderTest, startDelivery } from './delivery.js';
import { headOf } from './peers.js';

type DocumentEvent = EventOf<typeof documentEventDue>;

/** The delivery service with receivers of webhooks, and with the events of issuing made by the test. */
export class WebhooksUnderTest extends DeliveryUnderTest {
  /** The addresses of names, in place of the DNS. */
  readonly names = new Map<string, readonly string[]>();
  /** How often a name was resolved. */
  readonly lookups: string[] = [];
  /** The businesses whose events have begun. */
  readonly started: string[] = [];
  readonly #receivers: WebhookReceiver[] = [];
  readonly #sequences = new Map<string, number>();

  /** Before a test: noon, a new book, and no names. @returns a receiver. */
  async begin(): Promise<WebhookReceiver> {
    await this.reset();
    this.newBook();
    this.names.clear();
    return this.receiver();
  }

  async receiver(certificateOf?: string): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start(certificateOf);
    this.#receivers.push(receiver);
    return receiver;
  }

  createEndpoint(
    url: string,
    change: Partial<RequestOf<typeof createEndpoint>> = {},
  ): Promise<ReplyOf<typeof createEndpoint>> {
    return this.network.call(createEndpoint, { business_id: this.business.id, url, ...change });
  }

  async endpoint(id: string): Promise<WebhookEndpoint> {
    return (await this.network.call(showEndpoint, { endpoint_id: id })).endpoint;
  }

  /** Makes an event of issuing, with the next number of the business unless it names one. */
  documentEvent({
    document,
    ...change
  }: Partial<DocumentEvent> & { document?: Partial<IssuedDocument> } = {}): DocumentEvent {
    const { id } = this.business;
    const sequence = change.sequence ?? (this.#sequences.get(id) ?? 0) + 1;
    this.#sequences.set(id, Math.max(sequence, this.#sequences.get(id) ?? 0));
    return {
      business_id: id,
      event_id: randomUUID(),
      occurred_at: this.clock.now.toISOString(),
      type: 'document.issued',
      sequence,
      listed: {
        document: headOf(exampleDocument({ business_id: id, number: sequence, ...document })),
        state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null },
        allocation: { status: 'not_required', number: null, reason: 'The net is small.' },
        delivery: { status: 'disabled', channel: null, scheduled_for: null },
      },
      ...change,
    };
  }

  /** Publishes an event of issuing. @returns its id. */
  async publishEvent(event = this.documentEvent()): Promise<string> {
    await this.network.publish(documentEventDue, event.listed.document.id, event);
    return toEventId(event.event_id);
  }

  async log(endpoint_id: string): Promise<WebhookAttempt[]> {
    return (await this.network.call(listWebhookAttempts, { endpoint_id, limit: 50 })).attempts;
  }

  /** Waits until an endpoint has so many attempts. */
  attemptsOf(endpoint_id: string, count: number): Promise<WebhookAttempt[]> {
    return eventually(`${count} attempts are in the log`, async () => {
      const attempts = await this.log(endpoint_id);
      return attempts.length >= count && attempts;
    });
  }

  async listed(
    query: Partial<RequestOf<typeof listEvents>> = {},
  ): Promise<{ events: ApiEvent[]; next_after: number }> {
    const request = { business_id: this.business.id, after: 0, limit: 100, ...query };
    const { events, next_after } = await this.network.call(listEvents, request);
    return { events: events.map((text) => JSON.parse(text) as ApiEvent), next_after };
  }

  /** Gives tests a business of their own. */
  newBook(change: Partial<Business> = {}): Business {
    this.business = exampleBusiness({ events: true, ...change });
    return this.business;
  }

  override async stop(): Promise<void> {
    await Promise.all(this.#receivers.map((receiver) => receiver.stop()));
    await super.stop();
  }
}

export const arrivedAt = ({ received }: WebhookReceiver, count: number) =>
  eventually(`${count} webhooks arrived`, () => received.length >= count && received);

export async function startWebhooks(): Promise<WebhooksUnderTest> {
  const webhooks = await startDelivery<WebhooksUnderTest>({}, WebhooksUnderTest);
  const { network } = webhooks;
  webhooks.service.app.get(AddressResolver).resolve = (host) => {
    webhooks.lookups.push(host);
    return Promise.resolve(webhooks.names.get(host) ?? []);
  };
  network.answer(startEvents, ({ business_id }) => {
    webhooks.started.push(business_id);
    return { business: { ...webhooks.business, id: business_id } };
  });
  network.answer(showBusiness, ({ business_id }) => ({
    business: {
      ...webhooks.business,
      id: business_id,
      email: business_id === webhooks.business.id ? webhooks.business.email : null,
    },
    settings_version: '0'.repeat(64),
    view_url_base: '',
    pdf_url_base: '',
    api_enabled: true,
  }));
  return webhooks;
}
