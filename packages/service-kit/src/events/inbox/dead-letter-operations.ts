import { Controller } from '@nestjs/common';
import type { DeadLetter, MessagingContracts, MessagingService, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Selectable } from 'kysely';
import { type Database, forTenant } from '../../db/tenant-scope.js';
import { ApiError } from '../../process/api-error.js';
import type { Logger } from '../../process/logger.js';
import { InjectDatabase, InjectLogger } from '../../process/tokens.js';
import { Operation } from '../../rpc/operation.js';
import type { DeadLetterTable, MessagingTables } from '../messaging.tables.js';
import {
  businessIdIn,
  deadLettersAfter,
  discardDeadLetter,
  getDeadLetter,
} from './dead-letter.repository.js';
import { HandlerRegistry } from './handler-registry.js';

type ListContract = MessagingContracts['listDeadLetters'];
type DropContract = MessagingContracts['dropDeadLetter'];

/** The operations of one service on its dead letters, except that which handles one again. */
export function deadLetterOperations({ listDeadLetters, dropDeadLetter }: MessagingContracts) {
  @Controller()
  class DeadLetterOperations {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectLogger() readonly logger: Logger,
      readonly handlers: HandlerRegistry,
    ) {}

    @Operation(listDeadLetters)
    async list({ after, limit }: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      // One row more than a page shows whether there is another page.
      const rows = await deadLettersAfter(this.db, after, limit + 1);
      const page = rows.slice(0, limit);
      const service = listDeadLetters.owner as MessagingService;
      return {
        dead_letters: page.map((row) => toDeadLetter(row, service, this.handlers.isRedrivable(row))),
        next_after: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
      };
    }

    /** Removes a dead letter which is not redrivable. */
    @Operation(dropDeadLetter)
    async drop({ id }: RequestOf<DropContract>): Promise<ReplyOf<DropContract>> {
      const deadLetter = await getDeadLetter(this.db, id);
      const { consumer, message_id, subject, reason } = deadLetter;
      if (this.handlers.isRedrivable(deadLetter)) {
        return { outcome: 'redrivable', reason };
      }
      if (!(await discardDeadLetter(forTenant(this.db, businessIdIn(deadLetter.body)), deadLetter))) {
        throw new ApiError('not_found');
      }
      this.logger.warn({ id, consumer, message_id, subject, reason }, 'dead letter dropped');
      return { outcome: 'dropped', reason };
    }
  }
  return DeadLetterOperations;
}

function toDeadLetter(
  row: Selectable<DeadLetterTable>,
  service: MessagingService,
  redrivable: boolean,
): DeadLetter {
  const { id, consumer, subject, reason, attempts, dead_lettered_at } = row;
  return {
    id,
    service,
    consumer,
    document_id: subject.slice(subject.lastIndexOf('.') + 1),
    subject,
    reason,
    attempts,
    dead_lettered_at: dead_lettered_at.toISOString(),
    redrivable,
  };
}
