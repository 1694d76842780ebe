import type { MessagingContracts, ReplyOf, RequestOf } from '@pinkas/contracts';
import { currentContext, newContext, remainingMs, withContext } from '../context.js';
import type { Database } from '../db/database.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Logger } from '../logger.js';
import { Problem } from '../problem.js';
import { Operation } from '../rpc/operation.js';
import { InjectDatabase, InjectLogger } from '../tokens.js';
import { deadLetterWithId, noteFailedRedrive } from './dead-letter.repository.js';
import { reasonOf } from './dead-letter-reason.js';
import { type Arrival, type Step, tryTimeoutMs } from './step.js';
import { Steps } from './steps.js';

type Redriving = MessagingContracts['redriveDeadLetter'];

/** What is kept of the caller's time for storing and telling that the step failed again, in milliseconds. */
const tellingMs = 1_000;

/** The operation of one service that carries out a step which it gave up. */
export function redriveDeadLetter(contract: Redriving) {
  @Operation(contract)
  class RedriveDeadLetter {
    constructor(
      @InjectDatabase() readonly db: Database<MessagingTables>,
      @InjectLogger() readonly logger: Logger,
      readonly steps: Steps,
    ) {}

    async handle({ id }: RequestOf<Redriving>): Promise<ReplyOf<Redriving>> {
      const letter = await deadLetterWithId(this.db, id);
      if (!letter) throw new Problem('not_found');
      const { consumer, message_id, subject, body, request_id, trace } = letter;
      try {
        const outcome = await carryOut(this.steps.of(consumer), {
          messageId: message_id,
          subject,
          body,
          requestId: request_id,
          trace,
        });
        this.logger.info({ consumer, message_id, outcome }, 'a step was redriven');
        return { outcome, reason: null };
      } catch (error) {
        this.logger.warn({ err: error, consumer, message_id }, 'a redriven step could not be handled');
        const reason = reasonOf(error);
        const stays = await noteFailedRedrive(this.db, id, reason);
        if (!stays) return { outcome: 'done_before', reason: null };
        return { outcome: this.steps.canCarryOut(letter) ? 'failed' : 'impossible', reason };
      }
    }
  }
  return RedriveDeadLetter;
}

function carryOut(step: Step | undefined, arrival: Arrival): Promise<'done' | 'done_before'> {
  if (!step) throw new Error('the service has no step of that name any more');
  const context = newContext(remainingMs(tryTimeoutMs) - tellingMs, currentContext()?.requestId);
  return withContext(context, () => step.carryOut(arrival));
}
