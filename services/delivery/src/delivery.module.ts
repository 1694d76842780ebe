import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { AuditDeliveries } from './delivery/audit-deliveries.js';
import { CheckRecipient } from './delivery/check-recipient.js';
import { DeliveryMetrics } from './delivery/delivery-metrics.js';
import { DraftReminder } from './delivery/draft-reminder.js';
import { IssuedDocuments } from './delivery/issued-documents.js';
import { ListDeliveryFailures } from './delivery/list-delivery-failures.js';
import { ListDeliveryStates } from './delivery/list-delivery-states.js';
import { ListMessages } from './delivery/list-messages.js';
import { ListSuppressions } from './delivery/list-suppressions.js';
import { ListUndelivered } from './delivery/list-undelivered.js';
import { MessageArtifacts } from './delivery/message-artifacts.js';
import { MessageBalances } from './delivery/message-balances.js';
import { MessageChannels } from './delivery/message-channels.js';
import { MessageLogos } from './delivery/message-logos.js';
import { MessageSender } from './delivery/message-sender.js';
import { OutcomeRecorder } from './delivery/outcome-recorder.js';
import { PlanDelivery } from './delivery/plan-delivery.js';
import { ReleaseDelivery } from './delivery/release-delivery.js';
import { ResendDelivery } from './delivery/resend-delivery.js';
import { SendMessage } from './delivery/send-message.js';
import { SendReminder } from './delivery/send-reminder.js';
import { SuppressAddress } from './delivery/suppress-address.js';
import { UnsuppressAddress } from './delivery/unsuppress-address.js';
import { WithdrawDelivery } from './delivery/withdraw-delivery.js';
import { Mailer } from './mail/mailer.js';
import { SendNotice } from './notice/send-notice.js';
import { BookChannels } from './test-mode/book-channels.js';
import { ClearTestDeliveries } from './test-mode/clear-test-deliveries.js';
import { ListTestMessages } from './test-mode/list-test-messages.js';
import { WhatsAppClient } from './whatsapp/whatsapp-client.js';

/** Plans, messages and their outcomes. */
@Module({
  controllers: [
    CheckRecipient,
    ResendDelivery,
    ListMessages,
    SendMessage,
    DraftReminder,
    SendReminder,
    SendNotice,
    ListDeliveryFailures,
    ListUndelivered,
    ListDeliveryStates,
    SuppressAddress,
    UnsuppressAddress,
    ListSuppressions,
    AuditDeliveries,
    ListTestMessages,
    ClearTestDeliveries,
  ],
  providers: [
    PlanDelivery,
    ReleaseDelivery,
    WithdrawDelivery,
    MessageSender,
    MessageArtifacts,
    IssuedDocuments,
    { provide: MessageChannels, useClass: BookChannels },
    MessageBalances,
    MessageLogos,
    OutcomeRecorder,
    DeliveryMetrics,
    Mailer,
    WhatsAppClient,
  ],
})
export class DeliveryModule {}

/** What runs beside the operations, in the order of its start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [MessageSender];
