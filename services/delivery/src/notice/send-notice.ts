import { type ReplyOf, type RequestOf, sendNotice, timeLimitsMs } from '@pinkas/contracts';
import { InjectConfig, InjectLogger, type Logger, Operation, remainingMs } from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import { messageIdDomain } from '../delivery/message-id-domain.js';
import { singleLine } from '../delivery/wording.js';
import { Mailer } from '../mail/mailer.js';

/** The name beside the address of the platform. */
const platformName = 'Pinkas';

/** Sends a mail of the platform: one attempt, of which nothing is stored. Its text may sign somebody in, so nothing of it is logged. */
@Operation(sendNotice)
export class SendNotice {
  constructor(
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'mailFrom'>,
    @InjectLogger() private readonly logger: Logger,
    private readonly mailer: Mailer,
  ) {}

  async handle(notice: RequestOf<typeof sendNotice>): Promise<ReplyOf<typeof sendNotice>> {
    const { notice_id, recipient, subject, text, html } = notice;
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
      return { outcome: 'accepted', reason: null };
    }
    this.logger.warn({ notice_id, outcome: outcome.kind }, 'notice attempt failed');
    if (outcome.failure === 'access_denied') {
      // Every mail fails until an operator corrects the credentials or the account.
      this.logger.error({ notice_id }, 'smtp authentication failed');
    }
    return { outcome: outcome.kind === 'permanent' ? 'rejected' : 'failed', reason: outcome.reason };
  }
}
