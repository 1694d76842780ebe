import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import { type Database, forTenant } from '../../db/tenant-scope.js';
import { ApiError } from '../../process/api-error.js';
import type { Logger } from '../../process/logger.js';
import { InjectDatabase, InjectLogger } from '../../process/tokens.js';
import { Operation } from '../../rpc/operation.js';
import type { MessagingTables } from '../messaging.tables.js';
import { businessIdIn, discardDeadLetter, getDeadLetter } from './dead-letter.repository.js';
import { HandlerRegistry } from './handler-registry.js';

type DropContract = MessagingContracts['dropDeadLetter'];

/** The operation of one service that removes a dead letter which is not redrivable. */
export function dropDeadLetter(contract: DropContract) {
  @Operation(contract)
  class DropDeadLetter {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectLogger() readonly logger: Logger,
      readonly handlers: HandlerRegistry,
    ) {}

    async handle({ id }: RequestOf<DropContract>): Promise<ReplyOf<DropContract>> {
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
  return DropDeadLetter;
}
