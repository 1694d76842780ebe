import { Injectable } from '@nestjs/common';
import { InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import { composeEmail, type EmailLogo } from '../mail/compose-email.js';
import { Mailer } from '../mail/mailer.js';
import { WhatsAppClient } from '../whatsapp/whatsapp-client.js';
import type { DeliveryChannel, DeliveryRow } from './delivery.tables.js';
import { whatsappNotConfigured } from './delivery-plan.js';
import type { SendOutcome } from './send-policy.js';
import type { AllocationState } from './wording.js';

/** What a message brings. */
export interface MessageContent {
  readonly pdf: Buffer;
  readonly allocation: AllocationState;
  /** Null: it shows none. */
  readonly logo: EmailLogo | null;
}

/** The providers that messages are sent through. */
@Injectable()
export class MessageChannels {
  constructor(
    @InjectConfig() private readonly config: DeliveryConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly mailer: Mailer,
    private readonly whatsapp: WhatsAppClient,
  ) {}

  /** Why nothing can be sent through a channel; null where something can. */
  unavailableReason(channel: DeliveryChannel): string | null {
    return channel === 'whatsapp' && !this.whatsapp.isConfigured ? whatsappNotConfigured : null;
  }

  /** The longest that `send` takes. */
  sendTimeoutMs(channel: DeliveryChannel): number {
    return channel === 'whatsapp' ? this.whatsapp.sendTimeoutMs : this.mailer.sendTimeoutMs;
  }

  /** One attempt; never throws. An email carries the PDF, a WhatsApp message links to it. */
  send(row: DeliveryRow, { pdf, allocation, logo }: MessageContent): Promise<SendOutcome> {
    const isFollowUp = row.follows !== null;
    if (row.channel === 'whatsapp') {
      return this.whatsapp.send({ ...row, followUpNumber: isFollowUp ? allocation.number : null });
    }
    const { facts, purpose } = row;
    return this.mailer.send({
      email: composeEmail(facts, { purpose, allocation, isFollowUp, logo }, this.config.viewUrlBase),
      pdf,
      logo,
      messageId: row.message_id,
      inReplyTo: row.follows === null ? null : row.message_id.replace(row.id, row.follows),
      fromName: row.facts.business.name,
      fromAddress: this.#fromAddress(row),
      replyTo: row.facts.business.email,
      recipient: row.recipient,
    });
  }

  /** The address of the business's own where its domain has a key; else null, and the platform's is used. */
  #fromAddress({ id, document_id, facts }: DeliveryRow): string | null {
    const { mail_from } = facts.business;
    if (!mail_from || this.mailer.signs(mail_from)) {
      return mail_from ?? null;
    }
    const domain = mail_from.slice(mail_from.lastIndexOf('@') + 1);
    this.logger.warn({ delivery_id: id, document_id, domain }, 'dkim key not found');
    return null;
  }

  close(): void {
    this.mailer.close();
  }
}
