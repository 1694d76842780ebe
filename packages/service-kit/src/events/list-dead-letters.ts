import type { MessagingContracts, MessagingService, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../db/database.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import { Operation } from '../rpc/operation.js';
import { InjectDatabase } from '../tokens.js';
import { deadLettersAfter } from './dead-letter.repository.js';
import { Steps } from './steps.js';

type Listing = MessagingContracts['listDeadLetters'];

/** The operation of one service that lists the steps which it gave up. */
export function listDeadLetters(contract: Listing) {
  @Operation(contract)
  class ListDeadLetters {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      readonly steps: Steps,
    ) {}

    async handle({ after, limit }: RequestOf<Listing>): Promise<ReplyOf<Listing>> {
      // One more than a page tells whether there is another.
      const found = await deadLettersAfter(this.db, after, limit + 1);
      const page = found.slice(0, limit);
      return {
        dead_letters: page.map((letter) => ({
          id: letter.id,
          service: contract.owner as MessagingService,
          consumer: letter.consumer,
          document_id: letter.subject.slice(letter.subject.lastIndexOf('.') + 1),
          subject: letter.subject,
          reason: letter.reason,
          attempts: letter.attempts,
          given_up_at: letter.given_up_at.toISOString(),
          redrivable: this.steps.canCarryOut(letter),
        })),
        next_after: found.length > limit ? (page.at(-1)?.id ?? null) : null,
      };
    }
  }
  return ListDeadLetters;
}
