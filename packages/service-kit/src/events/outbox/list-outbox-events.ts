import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../../db/tenant-scope.js';
import type { ServiceConfig } from '../../process/config.js';
import { InjectConfig, InjectDatabase } from '../../process/tokens.js';
import { Operation } from '../../rpc/operation.js';
import type { MessagingTables } from '../messaging.tables.js';
import { outboxEventsAfter } from './outbox.repository.js';
import { saveReader } from './reader.repository.js';

type ListContract = MessagingContracts['listOutboxEvents'];

/** The operation of one service that lists its outbox events, and stores how far the consumer that calls it has read. */
export function listOutboxEvents(contract: ListContract) {
  @Operation(contract)
  class ListOutboxEvents {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectConfig() readonly config: ServiceConfig,
    ) {}

    async handle(request: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      const { subject, after, limit, consumer } = request;
      if (consumer !== undefined) {
        await saveReader(this.db, consumer, after);
      }
      return outboxEventsAfter(this.db, subject, after, limit, this.config.reconcileAgeMs);
    }
  }
  return ListOutboxEvents;
}
