import { isDeepStrictEqual } from 'node:util';
import { consumers, deliveryPlanned, type EventOf, type messageDue } from '@pinkas/contracts';
import { addressesToCheck } from '@pinkas/domain/delivery';
import {
  type Clock,
  databaseClock,
  EventHandler,
  InjectClock,
  InjectConfig,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryRow, DeliveryTables } from '../db/delivery.tables.js';
import { messageIdDomain } from '../message/message-id-domain.js';
import { factsOf } from './delivery-facts.js';
import { holdUntil, planDelivery } from './delivery-plan.js';
import { progressOf, recordPlanned } from './document.repository.js';
import { MessageSender } from './message-sender.js';
import { insertMessages } from './plan.repository.js';
import { suppressedChannels } from './suppression.repository.js';

/** Plans which messages are sent for an issued document that has some, to whom and when. */
@EventHandler(consumers.planDelivery)
export class PlanDelivery {
  constructor(
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    private readonly sender: MessageSender,
  ) {}

  async handle(
    event: EventOf<typeof messageDue>,
    trx: OutboxTransaction<DeliveryTables>,
  ): Promise<readonly DeliveryRow[]> {
    const { document, business } = event;
    const now = this.clock.now();
    const key = { business_id: document.business_id, document_id: document.id };
    const { outcome, messages } = planDelivery(document, business, {
      suppressed: await suppressedChannels(trx, key.business_id, addressesToCheck(document, business)),
      whatsapp_configured: this.config.whatsapp !== null,
    });
    const state = await recordPlanned(trx, key, {
      holdUntil: holdUntil(document, business),
      numberRequired: event.number_required,
    });
    const parts = {
      facts: factsOf(event),
      messageIdDomain: messageIdDomain(this.config),
      now,
      document: progressOf(state, now),
    };
    const rows = await insertMessages(trx, key, messages, parts, (channel) => {
      const claimMs = this.sender.claimMsOf(channel);
      return claimMs === null ? null : databaseClock(this.clock, claimMs);
    });
    // Issuing has decided the same by the same rules, but for what has changed since.
    const isPlannedBefore = messages.length > 0 && rows.length === 0;
    if (!isPlannedBefore && !isDeepStrictEqual(outcome, event.delivery)) {
      await publish(trx, deliveryPlanned, document.id, { ...key, delivery: outcome });
    }
    return rows;
  }

  committed(_event: unknown, messages: readonly DeliveryRow[]): void {
    const isClaimed = ({ claimed_until }: DeliveryRow) => claimed_until !== null;
    this.sender.sendNew(messages.filter(isClaimed));
    if (messages.some((message) => message.state === 'ready' && !isClaimed(message))) {
      this.sender.trigger();
    }
  }
}
