import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Database } from '../db/database.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Logger } from '../logger.js';
import { Problem } from '../problem.js';
import { Operation } from '../rpc/operation.js';
import { InjectDatabase, InjectLogger } from '../tokens.js';
import { deadLetterWithId, dropDeadLetterOf } from './dead-letter.repository.js';
import { Steps } from './steps.js';

type Dropping = MessagingContracts['dropDeadLetter'];

/** The operation of one service that removes a step which nothing can mend. */
export function dropDeadLetter(contract: Dropping) {
  @Operation(contract)
  class DropDeadLetter {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectLogger() readonly logger: Logger,
      readonly steps: Steps,
    ) {}

    async handle({ id }: RequestOf<Dropping>): Promise<ReplyOf<Dropping>> {
      const letter = await deadLetterWithId(this.db, id);
      if (!letter) throw new Problem('not_found');
      const { consumer, message_id, subject, reason } = letter;
      if (this.steps.canCarryOut(letter)) return { outcome: 'redrivable', reason };
      if (!(await dropDeadLetterOf(this.db, letter))) throw new Problem('not_found');
      this.logger.warn({ id, consumer, message_id, subject, reason }, 'an operator dropped a step');
      return { outcome: 'dropped', reason };
    }
  }
  return DropDeadLetter;
}
