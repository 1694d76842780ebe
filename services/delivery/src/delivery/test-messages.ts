import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
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
import { type DocumentEmail, Mailer } from '../mail/mailer.js';
import type { DeliveryRow, DeliveryTables } from './delivery.tables.js';
import type { SendOutcome } from './send-policy.js';
import { insertTestMessage } from './test-message.repository.js';

/** Takes the messages of test books in place of their providers: none leaves the system (ADR 0051). */
@Injectable()
export class TestMessages {
  readonly #mailbox: Mailer | null;

  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectConfig() config: DeliveryConfig,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {
    const { testMailboxUrl: smtpUrl } = config;
    this.#mailbox =
      smtpUrl === null
        ? null
        : new Mailer({ ...config, smtpUrl, smtpTls: 'off', smtpCaFile: null, dkimKeys: new Map() });
  }

  /**
   * Stores a message; every message is accepted.
   * @param mail the email, or the WhatsApp message as the text of one, for the mailbox of a local stack.
   */
  async accept(row: DeliveryRow, mail: DocumentEmail): Promise<SendOutcome> {
    const { subject, text } = mail.email;
    await insertTestMessage(forTenant(this.db, row.business_id), {
      business_id: row.business_id,
      delivery_id: row.id,
      document_id: row.document_id,
      channel: row.channel,
      purpose: row.purpose,
      recipient: row.recipient,
      subject: row.channel === 'email' ? subject : '',
      body: text,
      pdf_sha256: createHash('sha256').update(mail.pdf).digest(),
      sent_at: this.clock.now(),
    });
    await this.#copyToMailbox(row, mail);
    return { kind: 'accepted', response: 'Kept by test mode; nothing was sent.' };
  }

  close(): void {
    this.#mailbox?.close();
  }

  /** A mailbox that is away keeps no message from being accepted. */
  async #copyToMailbox(row: DeliveryRow, mail: DocumentEmail): Promise<void> {
    const email = { ...mail.email, subject: `[TEST · בדיקה] ${mail.email.subject}` };
    const outcome = await this.#mailbox?.send({ ...mail, email, fromAddress: null });
    if (outcome && outcome.kind !== 'accepted') {
      this.logger.warn({ delivery_id: row.id, reason: outcome.reason }, 'test mailbox rejected');
    }
  }
}
