import { type connectionEventDue, consumers, type EventOf, showBusiness } from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, RpcClient, type Transaction } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { storeEvent } from './event.repository.js';
import { newEvent } from './stored-event.js';
import type { NewWebhook } from './webhook.repository.js';
import { WebhookSender } from './webhook-sender.js';

type Due = EventOf<typeof connectionEventDue>;

/** Stores an event about the connection to the tax authority, where the business wants events. */
@EventHandler(consumers.storeConnectionEvent)
export class StoreConnectionEvent {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
    private readonly sender: WebhookSender,
  ) {}

  async prepare({ business_id }: Due): Promise<boolean> {
    const { business } = await this.rpc.call(showBusiness, { business_id });
    return business.events === true;
  }

  async handle(event: Due, trx: Transaction<DeliveryTables>, isWanted: boolean): Promise<NewWebhook[]> {
    if (!isWanted) {
      return [];
    }
    const { business_id, event_id, type, valid_until, occurred_at } = event;
    const stored = newEvent({
      ...{ business_id, id: event_id, type },
      document_id: null,
      sequence: null,
      occurredAt: occurred_at,
      data: { connection: { valid_until } },
    });
    return storeEvent(trx, stored, this.clock, this.sender);
  }

  committed(_event: unknown, webhooks: readonly NewWebhook[]): void {
    this.sender.sendNew(webhooks);
  }
}
