import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../../db/tenant-scope.js';
import { ApiError } from '../../process/api-error.js';
import { InjectDatabase } from '../../process/tokens.js';
import { Operation } from '../../rpc/operation.js';
import type { MessagingTables } from '../messaging.tables.js';
import { outboxEventById } from './outbox.repository.js';

type GetContract = MessagingContracts['getOutboxEvent'];

/** The operation of one service that returns one of its outbox events. */
export function getOutboxEvent(contract: GetContract) {
  @Operation(contract)
  class GetOutboxEvent {
    constructor(@InjectDatabase() readonly db: Database<MessagingTables>) {}

    async handle({ id }: RequestOf<GetContract>): Promise<ReplyOf<GetContract>> {
      const event = await outboxEventById(this.db, id);
      if (!event) {
        throw new ApiError('not_found');
      }
      const { trace, ...rest } = event;
      return { ...rest, ...(trace ? { trace } : {}) };
    }
  }
  return GetOutboxEvent;
}
