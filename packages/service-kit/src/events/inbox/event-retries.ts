import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.js';
import { JobWorker } from '../../jobs/job-worker.js';
import type { Logger } from '../../process/logger.js';
import type { Tracing } from '../../tracing/tracing.js';
import type { MessagingTables } from '../messaging.tables.js';
import { storeDeadLetter } from './dead-letter.repository.js';
import { claimDueEvents, type DueEvent, nextDueEvent } from './due-event.repository.js';
import type { HandlerRegistry } from './handler-registry.js';
import { attemptsMax, attemptTimeoutMs } from './inbox-handler.js';

/** How many events are in flight at most: those from the stream must not run short of database connections. */
const concurrency = 4;
/** Longer than an attempt, for storing its outcome. */
const claimMs = attemptTimeoutMs + 10_000;

type Job = DueEvent & { readonly business_id: null };

/** Every attempt on an event after the first, which the consumer of its stream makes. */
export function eventRetries(
  db: Kysely<MessagingTables>,
  parts: { clock: Clock; logger: Logger; tracing: Tracing; handlers: HandlerRegistry },
): JobWorker<Job> {
  const { clock, logger, tracing, handlers } = parts;
  const attempt = async (row: DueEvent): Promise<void> => {
    const { consumer, message_id: messageId, subject, body, request_id: requestId, trace, attempts } = row;
    const event = { messageId, subject, body, requestId, trace };
    const handler = handlers.of(consumer);
    if (!handler) {
      const reason = 'the service no longer has this consumer';
      return storeDeadLetter(db, { consumer, messageId }, event, reason, attempts - 1);
    }
    if (attempts > attemptsMax) {
      return handler.deadLetter(event, 'the last attempt ended with its process', attemptsMax);
    }
    try {
      await handler.handle(event);
    } catch (error) {
      await handler.fail(event, error, attempts);
    }
  };
  return new JobWorker<Job>({
    name: 'event-retries',
    concurrency,
    claimMs,
    logger,
    tracing,
    nextDue: () => nextDueEvent(db, clock),
    claim: async (limit, now, until) =>
      (await claimDueEvents(db, limit, now, until)).map((row) => ({ ...row, business_id: null })),
    run: (row) =>
      attempt(row).catch((error: unknown) =>
        logger.error(
          { err: error, consumer: row.consumer, message_id: row.message_id },
          'event retry failed',
        ),
      ),
  });
}
