import { Module } from '@nestjs/common';
import { AuditDeliveries } from './delivery/audit-deliveries.js';
import { DeliveryMetrics } from './delivery/delivery-metrics.js';
import { ListDeliveryFailures } from './delivery/list-delivery-failures.js';
import { ListSuppressions } from './delivery/list-suppressions.js';
import { PlanDelivery } from './delivery/plan-delivery.js';
import { ReleaseDelivery } from './delivery/release-delivery.js';
import { ResendDelivery } from './delivery/resend-delivery.js';
import { SendMessages } from './delivery/send-messages.js';
import { SuppressAddress } from './delivery/suppress-address.js';
import { UnsuppressAddress } from './delivery/unsuppress-address.js';
import { WithdrawDelivery } from './delivery/withdraw-delivery.js';
import { Mailer } from './mail/mailer.js';
import { WhatsApp } from './whatsapp/whatsapp.js';

/** What leaves the house: plans, messages, and what became of them. */
@Module({
  controllers: [
    ResendDelivery,
    ListDeliveryFailures,
    SuppressAddress,
    UnsuppressAddress,
    ListSuppressions,
    AuditDeliveries,
  ],
  providers: [
    PlanDelivery,
    ReleaseDelivery,
    WithdrawDelivery,
    SendMessages,
    DeliveryMetrics,
    Mailer,
    WhatsApp,
  ],
})
export class DeliveryModule {}
