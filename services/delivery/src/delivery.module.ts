import { Module } from '@nestjs/common';
import { PlanDelivery } from './delivery/plan-delivery.js';
import { ReleaseDelivery } from './delivery/release-delivery.js';
import { SendMessages } from './delivery/send-messages.js';
import { WithdrawDelivery } from './delivery/withdraw-delivery.js';
import { Mailer } from './mail/mailer.js';

/** What leaves the house: plans, messages, and what became of them. */
@Module({ providers: [PlanDelivery, ReleaseDelivery, WithdrawDelivery, SendMessages, Mailer] })
export class DeliveryModule {}
