import { Injectable } from '@nestjs/common';
import type { Debt } from '@pinkas/contracts';
import { InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryChannel, DeliveryRow } from '../db/delivery.tables.js';
import { composeEmail, type EmailLogo } from '../mail/compose-email.js';
import { composeReminder } from '../mail/compose-reminder.js';
import { Mailer, type OutgoingEmail } from '../mail/mailer.js';
import type { SendOutcome } from '../message/send-policy.js';
import { whatsappNotConfigured } from '../message/send-policy.js';
import { type AllocationState, notDeductibleWords, reportCancelledWords } from '../message/wording.js';
import { WhatsAppClient } from '../whatsapp/whatsapp-client.js';

/** The news of a message. */
export interface MessageContent {
  readonly pdf: Buffer;
  readonly allocation: AllocationState;
  /** Null: it shows none. */
  readonly logo: EmailLogo | null;
  /** ILS: what is left to pay; null where nothing is asked for, undefined where it is not known. */
  readonly balance: number | null | undefined;
  /** The open documents of a reminder; none of any other message. */
  readonly debts: readonly Debt[];
  /** ILS: what the customer of a reminder has on account. */
  readonly onAccount: number;
}

/** The providers that messages are sent through. */
@Injectable()
export class MessageChannels {
  constructor(
    @InjectConfig() private readonly config: DeliveryConfig,
    @InjectLogger() protected readonly logger: Logger,
    private readonly mailer: Mailer,
    private readonly whatsapp: WhatsAppClient,
  ) {}

  /** Whether messages of live books can be sent through a channel. */
  isConfigured(channel: DeliveryChannel): boolean {
    return channel === 'email' || this.whatsapp.isConfigured;
  }

  /** Why a message cannot be sent; null where it can. */
  unavailableReason({ channel }: Pick<DeliveryRow, 'business_id' | 'channel'>): string | null {
    return this.isConfigured(channel) ? null : whatsappNotConfigured;
  }

  /** The longest that `send` takes. */
  sendTimeoutMs(channel: DeliveryChannel): number {
    return channel === 'whatsapp' ? this.whatsapp.sendTimeoutMs : this.mailer.sendTimeoutMs;
  }

  /** One attempt; never throws. An email carries the PDF; a WhatsApp message and a reminder link to it. */
  send(row: DeliveryRow, content: MessageContent): Promise<SendOutcome> {
    return row.channel === 'whatsapp'
      ? this.whatsapp.send(templateFacts(row, content))
      : this.mailer.send(this.emailOf(row, content));
  }

  /** A WhatsApp message as it would be posted. */
  protected whatsappOf(row: DeliveryRow, content: MessageContent): object {
    return this.whatsapp.messageOf(templateFacts(row, content));
  }

  protected emailOf(
    row: DeliveryRow,
    { pdf, allocation, logo, balance, debts, onAccount }: MessageContent,
  ): OutgoingEmail {
    const { facts, purpose, reminder } = row;
    const isFollowUp = row.follows !== null;
    const { viewUrlBase } = this.config;
    return {
      email:
        reminder === null
          ? composeEmail(facts, { purpose, allocation, isFollowUp, logo, balance }, viewUrlBase)
          : composeReminder(facts, reminder, { debts, onAccount, logo }, viewUrlBase),
      pdf: reminder === null || reminder.statement ? pdf : null,
      logo,
      messageId: row.message_id,
      inReplyTo: row.follows === null ? null : row.message_id.replace(row.id, row.follows),
      fromName: row.facts.business.name,
      fromAddress: this.#fromAddress(row),
      replyTo: row.facts.business.email,
      recipient: row.recipient,
    };
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

const templateFacts = (row: DeliveryRow, { allocation }: MessageContent) => ({
  ...row,
  followUpNumber: row.follows === null ? null : followUpText(row, allocation),
});

/** What a template of a follow-up names in place of the total. */
function followUpText({ facts }: DeliveryRow, allocation: AllocationState): string | null {
  const { language } = facts.business;
  if (allocation.reportCancelled) {
    return reportCancelledWords[language];
  }
  return allocation.notDeductible ? notDeductibleWords[language] : allocation.number;
}
