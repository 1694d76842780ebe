import { Controller } from '@nestjs/common';
import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Selectable } from 'kysely';
import type { Database } from '../../db/tenant-scope.js';
import { currentContext, newContext, remainingMs, withContext } from '../../process/context.js';
import type { Logger } from '../../process/logger.js';
import { InjectDatabase, InjectLogger } from '../../process/tokens.js';
import { Operation } from '../../rpc/operation.js';
import type { DeadLetterTable, MessagingTables } from '../messaging.tables.js';
import { getDeadLetter, storeFailedRedrive } from './dead-letter.repository.js';
import { reasonOf } from './dead-letter-reason.js';
import { HandlerRegistry } from './handler-registry.js';
import { attemptTimeoutMs, type HandleOutcome } from './inbox-handler.js';

type RedriveContract = MessagingContracts['redriveDeadLetter'];

/** The part of the caller's time that is left for storing and returning a failure. */
const replyReserveMs = 1_000;

/** The operation of one service that handles a dead-lettered event again. */
export function redriveDeadLetter(contract: RedriveContract) {
  @Controller()
  class RedriveDeadLetter {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectLogger() readonly logger: Logger,
      readonly handlers: HandlerRegistry,
    ) {}

    @Operation(contract)
    async handle({ id }: RequestOf<RedriveContract>): Promise<ReplyOf<RedriveContract>> {
      const deadLetter = await getDeadLetter(this.db, id);
      const { consumer, message_id } = deadLetter;
      try {
        const outcome = await this.attempt(deadLetter);
        this.logger.info({ consumer, message_id, outcome }, 'dead letter redriven');
        return { outcome, reason: null };
      } catch (error) {
        this.logger.warn({ err: error, consumer, message_id }, 'dead letter redrive failed');
        const reason = reasonOf(error);
        const exists = await storeFailedRedrive(this.db, id, reason);
        if (!exists) {
          return { outcome: 'already_handled', reason: null };
        }
        return { outcome: this.handlers.isRedrivable(deadLetter) ? 'failed' : 'not_redrivable', reason };
      }
    }

    attempt(deadLetter: Selectable<DeadLetterTable>): Promise<HandleOutcome> {
      const { id, consumer, message_id, subject, body, request_id, trace } = deadLetter;
      const handler = this.handlers.of(consumer);
      if (!handler) {
        throw new Error('the service no longer has this consumer');
      }
      const timeoutMs = remainingMs(attemptTimeoutMs) - replyReserveMs;
      const context = newContext(timeoutMs, currentContext()?.requestId);
      return withContext(context, () =>
        handler.handle({
          messageId: message_id,
          subject,
          body,
          requestId: request_id,
          trace,
          deadLetterId: id,
        }),
      );
    }
  }
  return RedriveDeadLetter;
}
