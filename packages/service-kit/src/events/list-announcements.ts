import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { ServiceConfig } from '../config.js';
import type { Database } from '../db/database.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import { Operation } from '../rpc/operation.js';
import { InjectConfig, InjectDatabase } from '../tokens.js';
import { announcementsAfter } from './announcement.repository.js';

type Listing = MessagingContracts['listAnnouncements'];

/** The operation of one service that lists what it has announced. */
export function listAnnouncements(contract: Listing) {
  @Operation(contract)
  class ListAnnouncements {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectConfig() readonly config: ServiceConfig,
    ) {}

    handle({ subject, after, limit }: RequestOf<Listing>): Promise<ReplyOf<Listing>> {
      return announcementsAfter(this.db, subject, after, limit, this.config.sweepAgeMs);
    }
  }
  return ListAnnouncements;
}
