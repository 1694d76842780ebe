import { Controller } from '@nestjs/common';
import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../../db/tenant-scope.js';
import { ApiError } from '../../process/api-error.js';
import type { ServiceConfig } from '../../process/config.js';
import { InjectConfig, InjectDatabase } from '../../process/tokens.js';
import { Operation } from '../../rpc/operation.js';
import type { MessagingTables } from '../messaging.tables.js';
import { outboxEventById, outboxEventsAfter } from './outbox.repository.js';
import { saveReader } from './reader.repository.js';

type ListContract = MessagingContracts['listOutboxEvents'];
type GetContract = MessagingContracts['getOutboxEvent'];

/** The operations of one service that read its outbox. */
export function outboxOperations({ listOutboxEvents, getOutboxEvent }: MessagingContracts) {
  @Controller()
  class OutboxOperations {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectConfig() readonly config: ServiceConfig,
    ) {}

    /** Lists events, and stores how far the consumer that calls it has read. */
    @Operation(listOutboxEvents)
    async list(request: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      const { subject, after, limit, consumer } = request;
      if (consumer !== undefined) {
        await saveReader(this.db, consumer, after);
      }
      return outboxEventsAfter(this.db, subject, after, limit, this.config.reconcileAgeMs);
    }

    @Operation(getOutboxEvent)
    async get({ id }: RequestOf<GetContract>): Promise<ReplyOf<GetContract>> {
      const event = await outboxEventById(this.db, id);
      if (!event) {
        throw new ApiError('not_found');
      }
      const { trace, ...rest } = event;
      return { ...rest, ...(trace ? { trace } : {}) };
    }
  }
  return OutboxOperations;
}
