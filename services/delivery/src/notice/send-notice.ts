import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, sendNotice } from '@pinkas/contracts';
import { Operation } from '@pinkas/service-kit';
import { NoticeMailer } from './notice-mailer.js';

/** Sends a mail of the platform for another service. */
@Controller()
export class SendNotice {
  constructor(private readonly mailer: NoticeMailer) {}

  @Operation(sendNotice)
  async handle(notice: RequestOf<typeof sendNotice>): Promise<ReplyOf<typeof sendNotice>> {
    const outcome = await this.mailer.send(notice);
    return outcome.kind === 'accepted'
      ? { outcome: 'accepted', reason: null }
      : { outcome: outcome.kind === 'permanent' ? 'rejected' : 'failed', reason: outcome.reason };
  }
}
