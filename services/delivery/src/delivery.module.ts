import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { PlanDelivery } from './document/plan-delivery.js';
import { ReleaseDelivery } from './document/release-delivery.js';
import { WithdrawDelivery } from './document/withdraw-delivery.js';
import { MailChecks } from './mail/mail-checks.js';
import { Mailer } from './mail/mailer.js';
import { NoticeMailer } from './notice/notice-mailer.js';
import { SendNotice } from './notice/send-notice.js';
import { MessageOperations } from './operator/message-operations.js';
import { SendMessage } from './operator/send-message.js';
import { IssuedDocuments } from './plan/issued-documents.js';
import { ProposeReminder } from './reminder/propose-reminder.js';
import { SendReminder } from './reminder/send-reminder.js';
import { SendStatement } from './reminder/send-statement.js';
import { StatementPurger } from './reminder/statement-purger.js';
import { DeliveryMetrics } from './send/delivery-metrics.js';
import { MessageArtifacts } from './send/message-artifacts.js';
import { MessageBalances } from './send/message-balances.js';
import { MessageChannels } from './send/message-channels.js';
import { MessageLogos } from './send/message-logos.js';
import { MessageSender } from './send/message-sender.js';
import { OutcomeRecorder } from './send/outcome-recorder.js';
import { MailServerAnswers } from './suppression/mail-server-answers.js';
import { SuppressionOperations } from './suppression/suppression-operations.js';
import { BookChannels } from './test-mode/book-channels.js';
import { TestBookOperations } from './test-mode/test-book-operations.js';
import { AddressResolver } from './webhook/address-resolver.js';
import { CreateEndpoint } from './webhook/create-endpoint.js';
import { EndpointMonitor } from './webhook/endpoint-monitor.js';
import { EndpointOperations } from './webhook/endpoint-operations.js';
import { EndpointSecrets } from './webhook/endpoint-secrets.js';
import { EventOperations } from './webhook/event-operations.js';
import { EventPurger } from './webhook/event-purger.js';
import { ListWebhookAttempts } from './webhook/list-webhook-attempts.js';
import { ResendWebhooks } from './webhook/resend-webhooks.js';
import { StoreConnectionEvent } from './webhook/store-connection-event.js';
import { StoreDocumentEvent } from './webhook/store-document-event.js';
import { StoreMessageEvent } from './webhook/store-message-event.js';
import { WebhookClient } from './webhook/webhook-client.js';
import { WebhookMetrics } from './webhook/webhook-metrics.js';
import { WebhookSender } from './webhook/webhook-sender.js';
import { WhatsAppClient } from './whatsapp/whatsapp-client.js';

/** Plans, messages and their outcomes; events of the HTTP API and their webhooks. */
@Module({
  controllers: [
    SuppressionOperations,
    MessageOperations,
    SendMessage,
    ProposeReminder,
    SendReminder,
    SendStatement,
    SendNotice,
    TestBookOperations,
    EndpointOperations,
    CreateEndpoint,
    EventOperations,
    ListWebhookAttempts,
    ResendWebhooks,
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
    StatementPurger,
    DeliveryMetrics,
    MailServerAnswers,
    Mailer,
    MailChecks,
    WhatsAppClient,
    NoticeMailer,
    AddressResolver,
    EndpointMonitor,
    EndpointSecrets,
    EventPurger,
    StoreConnectionEvent,
    StoreDocumentEvent,
    StoreMessageEvent,
    WebhookClient,
    WebhookMetrics,
    WebhookSender,
  ],
})
export class DeliveryModule {}

/** The background tasks, in the order of their start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  MessageSender,
  WebhookSender,
  EndpointMonitor,
  EventPurger,
  StatementPurger,
];
