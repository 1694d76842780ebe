import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../db/database.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import { Problem } from '../problem.js';
import { Operation } from '../rpc/operation.js';
import { InjectDatabase } from '../tokens.js';
import { announcementWithId } from './announcement.repository.js';

type Getting = MessagingContracts['getAnnouncement'];

/** The operation of one service that gives out what it has announced. */
export function getAnnouncement(contract: Getting) {
  @Operation(contract)
  class GetAnnouncement {
    constructor(@InjectDatabase() readonly db: Database<MessagingTables>) {}

    async handle({ id }: RequestOf<Getting>): Promise<ReplyOf<Getting>> {
      const announcement = await announcementWithId(this.db, id);
      if (!announcement) throw new Problem('not_found');
      const { trace, ...rest } = announcement;
      return { ...rest, ...(trace ? { trace } : {}) };
    }
  }
  return GetAnnouncement;
}
