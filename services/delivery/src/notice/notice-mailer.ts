import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import { InjectConfig, InjectLogger, type Logger, remainingMs } from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import { Mailer } from '../mail/mailer.js';
import { messageIdDomain } from '../message/message-id-domain.js';
import type { SendOutcome } from '../message/send-policy.js';
import { singleLine } from '../message/wording.js';

/** The name next to the address of the platform. */
const platformName = 'Pinkas';

/** A mail of the platform to a person. */
export interface Notice {
  /** Becomes the Message-ID: the same notice again is the same message. */
  readonly notice_id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mails of the platform: one attempt, of which nothing is stored. Its text may sign somebody in, so nothing of it is logged. */
@Injectable()
export class NoticeMailer {
  constructor(
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'mailFrom'>,
    @InjectLogger() private readonly logger: Logger,
    private readonly mailer: Mailer,
  ) {}

  async send({ notice_id, recipient, subject, text, html }: Notice): Promise<SendOutcome> {
    const timeoutMs = Math.max(1, remainingMs(timeLimitsMs.sendNotice) - timeLimitsMs.replyReserve);
    const outcome = await this.mailer.send(
      {
        email: { subject: singleLine(subject), text, html, fileName: '', language: null },
        pdf: null,
        logo: null,
        messageId: `<${notice_id.toLowerCase()}@${messageIdDomain(this.config)}>`,
        inReplyTo: null,
        fromName: platformName,
        fromAddress: null,
        replyTo: null,
        recipient,
      },
      Math.min(timeoutMs, this.mailer.sendTimeoutMs),
    );
    if (outcome.kind === 'accepted') {
      this.logger.info({ notice_id }, 'notice sent');
      return outcome;
    }
    this.logger.warn({ notice_id, outcome: outcome.kind }, 'notice attempt failed');
    if (outcome.failure === 'access_denied') {
      // Every mail fails until an operator corrects the credentials or the account.
      this.logger.error({ notice_id }, 'smtp authentication failed');
    } else if (outcome.failure === 'relay_denied') {
      this.logger.error({ notice_id }, 'mail server refuses us');
    }
    return outcome;
  }
}
