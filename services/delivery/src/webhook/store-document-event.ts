import {
  consumers,
  type DonationOutcome,
  type documentEventDue,
  type EventAllocation,
  type EventOf,
} from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, InjectConfig, type Transaction } from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { storeEvent } from './event.repository.js';
import { provokedConnectionEvent } from './provoked-connection-event.js';
import { listItem, newEvent } from './stored-event.js';
import type { NewWebhook } from './webhook.repository.js';
import { WebhookSender } from './webhook-sender.js';

type Due = EventOf<typeof documentEventDue>;

/** Stores an event about a document. */
@EventHandler(consumers.storeDocumentEvent)
export class StoreDocumentEvent {
  constructor(
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    private readonly sender: WebhookSender,
  ) {}

  async handle(event: Due, trx: Transaction<DeliveryTables>): Promise<NewWebhook[]> {
    const { business_id, event_id, type, sequence, listed, closed_by, occurred_at } = event;
    const data = {
      document: listItem(listed, this.config),
      ...(closed_by !== undefined && { closed_by }),
      ...outcomeOf(event),
    };
    const stored = newEvent({
      ...{ business_id, id: event_id, type, sequence, data },
      document_id: listed.document.id,
      occurredAt: occurred_at,
    });
    const webhooks: NewWebhook[] = [];
    for (const next of [stored, ...provokedConnectionEvent(event)]) {
      webhooks.push(...(await storeEvent(trx, next, this.clock, this.sender)));
    }
    return webhooks;
  }

  committed(_event: unknown, webhooks: readonly NewWebhook[]): void {
    this.sender.sendNew(webhooks);
  }
}

/** What each event states beside its document: the status of its number, or its donation. */
const stated: Readonly<Record<Due['type'], EventAllocation['status'] | 'donation' | null>> = {
  'document.issued': null,
  'document.cancelled': null,
  'document.closed': null,
  'allocation.issued': 'issued',
  'allocation.refused': 'refused',
  'allocation.failed': 'failed',
  'donation.reported': 'donation',
  'donation.refused': 'donation',
  'donation.failed': 'donation',
};

function outcomeOf({ type, listed: { allocation, state } }: Due): {
  donation?: DonationOutcome;
  allocation?: EventAllocation;
} {
  const status = stated[type];
  if (status === null) {
    return {};
  }
  if (status === 'donation') {
    return state.donation ? { donation: state.donation } : {};
  }
  return { allocation: { status, number: allocation.number, reason: allocation.reason } };
}
