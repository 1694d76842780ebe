import { consumers, deliveryPlanned, type documentIssued, type EventOf } from '@pinkas/contracts';
import {
  type Clock,
  EventHandler,
  InjectClock,
  InjectConfig,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { ChannelAddress } from './address.js';
import type { DeliveryTables } from './delivery.tables.js';
import { factsOf } from './delivery-facts.js';
import { customerAddresses, holdUntil, planDelivery } from './delivery-plan.js';
import { MessageSender } from './message-sender.js';
import { insertPlan } from './plan.repository.js';
import { isSuppressed } from './suppression.repository.js';

/** Plans which messages are sent for an issued document, to whom and when. */
@EventHandler(consumers.planDelivery)
export class PlanDelivery {
  constructor(
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    private readonly sender: MessageSender,
  ) {}

  async handle(
    event: EventOf<typeof documentIssued>,
    trx: OutboxTransaction<DeliveryTables>,
  ): Promise<boolean> {
    const { document, business } = event;
    const now = this.clock.now();
    const key = { business_id: document.business_id, document_id: document.id };
    const suppressed = new Set<ChannelAddress['channel']>();
    for (const { channel, address } of customerAddresses(document.customer, business.auto_send.channel)) {
      if (await isSuppressed(trx, key.business_id, channel, address)) {
        suppressed.add(channel);
      }
    }
    const plan = planDelivery(document, business, {
      now,
      whatsappConfigured: this.config.whatsapp !== null,
      isSuppressed: ({ channel }) => suppressed.has(channel),
    });
    const { isNew, mayBeDue } = await insertPlan(trx, key, plan, {
      facts: factsOf(event),
      holdUntil: holdUntil(document, business),
      messageIdDomain: this.config.mailFrom.slice(this.config.mailFrom.lastIndexOf('@') + 1),
      now,
    });
    if (isNew) {
      await publish(trx, deliveryPlanned, document.id, { ...key, delivery: plan.outcome });
    }
    return mayBeDue;
  }

  committed(_event: unknown, mayBeDue: boolean): void {
    if (mayBeDue) {
      this.sender.trigger();
    }
  }
}
