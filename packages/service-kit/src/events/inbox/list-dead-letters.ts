import type { DeadLetter, MessagingContracts, MessagingService, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Selectable } from 'kysely';
import type { Database } from '../../db/tenant-scope.js';
import { InjectDatabase } from '../../process/tokens.js';
import { Operation } from '../../rpc/operation.js';
import type { DeadLetterTable, MessagingTables } from '../messaging.tables.js';
import { deadLettersAfter } from './dead-letter.repository.js';
import { HandlerRegistry } from './handler-registry.js';

type ListContract = MessagingContracts['listDeadLetters'];

/** The operation of one service that lists its dead letters. */
export function listDeadLetters(contract: ListContract) {
  @Operation(contract)
  class ListDeadLetters {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      readonly handlers: HandlerRegistry,
    ) {}

    async handle({ after, limit }: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      // One row more than a page shows whether there is another page.
      const rows = await deadLettersAfter(this.db, after, limit + 1);
      const page = rows.slice(0, limit);
      return {
        dead_letters: page.map((row) => this.toDeadLetter(row)),
        next_after: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
      };
    }

    toDeadLetter(row: Selectable<DeadLetterTable>): DeadLetter {
      const { id, consumer, subject, reason, attempts, dead_lettered_at } = row;
      return {
        id,
        service: contract.owner as MessagingService,
        consumer,
        document_id: subject.slice(subject.lastIndexOf('.') + 1),
        subject,
        reason,
        attempts,
        dead_lettered_at: dead_lettered_at.toISOString(),
        redrivable: this.handlers.isRedrivable(row),
      };
    }
  }
  return ListDeadLetters;
}
