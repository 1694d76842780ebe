import { isDeepStrictEqual } from 'node:util';
import {
  consumers,
  deliveryPlanned,
  type EventOf,
  type IssuedDocument,
  type messageDue,
} from '@pinkas/contracts';
import { settlementOf, toShekels } from '@pinkas/domain';
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
import { factsOf } from '../plan/delivery-facts.js';
import { holdUntil, planDelivery } from '../plan/delivery-plan.js';
import { progressOf, recordPlanned } from '../plan/document.repository.js';
import { insertMessages } from '../plan/plan.repository.js';
import { MessageSender } from '../send/message-sender.js';

/** A document that is younger asks for what it asked for when it was issued: issuing is not asked what is left to pay. */
const justIssuedMs = 1_000;

/** ILS: what a document that nothing has settled asks for; null: it asks for nothing. */
function firstBalance(document: IssuedDocument): number | null {
  const { balance } = settlementOf(document, { status: 'open', paid: 0 });
  return balance === null || document.due_date === null ? null : toShekels(balance);
}

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
    const planned = { holdUntil: holdUntil(document, business), numberRequired: event.number_required };
    const state = await recordPlanned(trx, key, planned, addressesToCheck(document, business));
    const { outcome, messages } = planDelivery(document, business, {
      suppressed: state.suppressed,
      whatsapp_configured: this.config.whatsapp !== null,
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

  committed({ document }: EventOf<typeof messageDue>, messages: readonly DeliveryRow[]): void {
    const isClaimed = ({ claimed_until }: DeliveryRow) => claimed_until !== null;
    const isJustIssued = this.clock.now().getTime() - new Date(document.issued_at).getTime() < justIssuedMs;
    this.sender.sendNew(messages.filter(isClaimed), isJustIssued ? firstBalance(document) : undefined);
    if (messages.some((message) => message.state === 'ready' && !isClaimed(message))) {
      this.sender.trigger();
    }
  }
}
