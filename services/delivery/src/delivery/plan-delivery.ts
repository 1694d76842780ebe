import { consumers, deliveryPlanned, type documentIssued, type EventOf } from '@pinkas/contracts';
import { isGoodsNote, totalRows } from '@pinkas/domain';
import { deliveryAddresses } from '@pinkas/domain/delivery';
import {
  type Clock,
  EventHandler,
  InjectClock,
  InjectConfig,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryFacts, DeliveryTables } from './delivery.tables.js';
import { holdUntil, planDelivery } from './delivery-plan.js';
import { MessageSender } from './message-sender.js';
import { insertPlan } from './plan.repository.js';
import { suppressedChannels } from './suppression.repository.js';

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
    const plan = planDelivery(document, business, {
      suppressed: await suppressedChannels(trx, key.business_id, deliveryAddresses(document, business)),
      whatsapp_configured: this.config.whatsapp !== null,
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

function factsOf({ document, business }: EventOf<typeof documentIssued>): DeliveryFacts {
  const { discount } = document;
  const withoutPrices = business.delivery_notes_without_prices === true && isGoodsNote(document.type);
  const figures = totalRows(document, business.legal_type).map(({ kind, amount }) => ({
    kind,
    amount: Number(amount) / 100,
  }));
  return {
    document: {
      type: document.type,
      number: document.number,
      date: document.date,
      total: document.totals.total,
      public_id: document.public_id,
      customer_name: document.customer.name,
      due_date: document.due_date,
      figures: withoutPrices ? null : figures,
      vat_rate: document.totals.vat_rate,
      discount_percent: discount?.type === 'percent' ? discount.value : null,
    },
    business: {
      name: business.name,
      email: business.email,
      language: business.language,
      quiet_hours: business.auto_send.quiet_hours,
      ...(business.accent_color && { accent_color: business.accent_color }),
      ...(business.logo && { logo: business.logo }),
    },
  };
}
