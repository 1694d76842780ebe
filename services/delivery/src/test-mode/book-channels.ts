import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isTestBook } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryRow, DeliveryTables } from '../db/delivery.tables.js';
import { Mailer, type OutgoingEmail } from '../mail/mailer.js';
import type { SendOutcome } from '../message/send-policy.js';
import { MessageChannels, type MessageContent } from '../send/message-channels.js';
import { WhatsAppClient } from '../whatsapp/whatsapp-client.js';
import { insertTestMessage } from './test-message.repository.js';

/** Sends the messages of live books, and keeps those of test books: none leaves the system (ADR 0051). */
@Injectable()
export class BookChannels extends MessageChannels {
  readonly #mailbox: Mailer | null;

  constructor(
    @InjectConfig() config: DeliveryConfig,
    @InjectLogger() logger: Logger,
    mailer: Mailer,
    whatsapp: WhatsAppClient,
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
  ) {
    super(config, logger, mailer, whatsapp);
    const { testMailboxUrl: smtpUrl } = config;
    this.#mailbox =
      smtpUrl === null
        ? null
        : new Mailer({ ...config, smtpUrl, smtpTls: 'off', smtpCaFile: null, dkimKeys: new Map() });
  }

  /** Null for every message of a test book: none needs an account. */
  override unavailableReason(message: Pick<DeliveryRow, 'business_id' | 'channel'>): string | null {
    return isTestBook(message.business_id) ? null : super.unavailableReason(message);
  }

  override send(row: DeliveryRow, content: MessageContent): Promise<SendOutcome> {
    return isTestBook(row.business_id) ? this.#keep(row, content) : super.send(row, content);
  }

  /**
   * Stores a message; every message is accepted, unless an item of its document provokes another outcome.
   * @throws where it cannot be stored.
   */
  async #keep(row: DeliveryRow, content: MessageContent): Promise<SendOutcome> {
    if (row.facts.fails) {
      return { kind: 'permanent', reason: 'An item of the test document provokes that the message fails.' };
    }
    const mail = row.channel === 'email' ? this.emailOf(row, content) : this.#whatsappEmailOf(row, content);
    await insertTestMessage(forTenant(this.db, row.business_id), {
      business_id: row.business_id,
      delivery_id: row.id,
      document_id: row.document_id,
      channel: row.channel,
      purpose: row.purpose,
      recipient: row.recipient,
      subject: row.channel === 'email' ? mail.email.subject : '',
      body: mail.email.text,
      pdf_sha256: createHash('sha256').update(content.pdf).digest(),
      sent_at: this.clock.now(),
    });
    await this.#copyToMailbox(row, mail);
    return { kind: 'accepted', response: 'Kept by test mode; nothing was sent.' };
  }

  override close(): void {
    super.close();
    this.#mailbox?.close();
  }

  /** A WhatsApp message as the text of an email, for the mailbox of a local stack. */
  #whatsappEmailOf(row: DeliveryRow, content: MessageContent): OutgoingEmail {
    const mail = this.emailOf(row, content);
    const text = JSON.stringify(this.whatsappOf(row, content), null, 2);
    const recipient = `${row.recipient.replace('+', '')}@whatsapp.invalid`;
    return { ...mail, email: { ...mail.email, text, html: '' }, recipient };
  }

  /** A mailbox that is away keeps no message from being accepted. */
  async #copyToMailbox(row: DeliveryRow, mail: OutgoingEmail): Promise<void> {
    const email = { ...mail.email, subject: `[TEST · בדיקה] ${mail.email.subject}` };
    const outcome = await this.#mailbox?.send({ ...mail, email, fromAddress: null });
    if (outcome && outcome.kind !== 'accepted') {
      this.logger.warn({ delivery_id: row.id, reason: outcome.reason }, 'test mailbox rejected');
    }
  }
}
