import { deliveryPlanned, documentIssued, type EventOf } from '@pinkas/contracts';
import {
  announce,
  type Clock,
  Consumer,
  InjectClock,
  InjectConfig,
  type Transaction,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { ChannelAddress } from './address.js';
import { insertPlan } from './delivery.repository.js';
import type { DeliveryFacts, DeliveryTables } from './delivery.tables.js';
import { customerAddresses, planDelivery } from './delivery-plan.js';
import { SendMessages } from './send-messages.js';
import { isSuppressed } from './suppression.repository.js';

/** Decides what is sent of an issued document, to whom and when, and says so at once. */
@Consumer(documentIssued, 'delivery-plan')
export class PlanDelivery {
  constructor(
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    private readonly worker: SendMessages,
  ) {}

  async handle(event: EventOf<typeof documentIssued>, trx: Transaction<DeliveryTables>): Promise<boolean> {
    const { document, business } = event;
    const now = this.clock.now();
    const key = { business_id: document.business_id, document_id: document.id };
    const suppressed = new Set<ChannelAddress['channel']>();
    for (const { channel, address } of customerAddresses(document.customer, business.auto_send.channel)) {
      if (await isSuppressed(trx, key.business_id, channel, address)) suppressed.add(channel);
    }
    const plan = planDelivery(document, business, {
      now,
      whatsappIsSetUp: this.config.whatsapp !== null,
      isSuppressed: ({ channel }) => suppressed.has(channel),
    });
    const { isNew, mayLeave } = await insertPlan(trx, key, plan, {
      facts: factsOf(event),
      messageIdDomain: this.config.mailFrom.slice(this.config.mailFrom.lastIndexOf('@') + 1),
      now,
    });
    if (isNew) await announce(trx, deliveryPlanned, document.id, { ...key, delivery: plan.outcome });
    return mayLeave;
  }

  committed(_event: unknown, mayLeave: boolean): void {
    if (mayLeave) this.worker.nudge();
  }
}

function factsOf({ document, business }: EventOf<typeof documentIssued>): DeliveryFacts {
  return {
    document: {
      type: document.type,
      number: document.number,
      date: document.date,
      total: document.totals.total,
      public_id: document.public_id,
      customer_name: document.customer.name,
    },
    business: {
      name: business.name,
      email: business.email,
      language: business.language,
      quiet_hours: business.auto_send.quiet_hours,
    },
  };
}
