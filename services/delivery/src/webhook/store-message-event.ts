import {
  consumers,
  type EventOf,
  getDocument,
  type ListedDocument,
  type messageEventDue,
} from '@pinkas/contracts';
import {
  type Clock,
  EventHandler,
  InjectClock,
  InjectConfig,
  RpcClient,
  type Transaction,
  toApiError,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { storeEvent } from './event.repository.js';
import { listItem, newEvent } from './stored-event.js';
import type { NewWebhook } from './webhook.repository.js';
import { WebhookSender } from './webhook-sender.js';

type Due = EventOf<typeof messageEventDue>;

/** Stores an event about a message, with its document as issuing lists it. */
@EventHandler(consumers.storeMessageEvent)
export class StoreMessageEvent {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    private readonly sender: WebhookSender,
  ) {}

  /** @returns null where the document does not exist any more: its test book was emptied. */
  async prepare({ business_id, document_id }: Due): Promise<ListedDocument | null> {
    try {
      const { listed } = await this.rpc.call(getDocument, { business_id, document_id, listed: true });
      if (!listed) {
        throw new Error('issuing does not know how to list one document yet');
      }
      return listed;
    } catch (error) {
      if (toApiError(error).code === 'not_found') {
        return null;
      }
      throw error;
    }
  }

  async handle(
    event: Due,
    trx: Transaction<DeliveryTables>,
    listed: ListedDocument | null,
  ): Promise<NewWebhook[]> {
    if (listed === null) {
      return [];
    }
    const { business_id, event_id, type, document_id, delivery, occurred_at } = event;
    const stored = newEvent({
      ...{ business_id, id: event_id, type, document_id },
      sequence: null,
      occurredAt: occurred_at,
      data: { document: listItem(listed, this.config), delivery },
    });
    return storeEvent(trx, stored, this.clock, this.sender);
  }

  committed(_event: unknown, webhooks: readonly NewWebhook[]): void {
    this.sender.sendNew(webhooks);
  }
}
