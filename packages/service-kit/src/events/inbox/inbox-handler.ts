import {
  businessOf,
  type ConsumerBinding,
  compileTolerant,
  type EventBody,
  type EventContract,
  type EventOf,
  type TraceHeaders,
} from '@pinkas/contracts';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import type { Kysely } from 'kysely';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { forTenant } from '../../db/tenant-scope.js';
import { newContext, remainingMs } from '../../process/context.js';
import type { Logger } from '../../process/logger.js';
import { secondsSince } from '../../process/metrics.js';
import { logContextOf } from '../../tracing/log-context-of.js';
import { type Attributes, SpanKind, setLogContext } from '../../tracing/spans.js';
import type { Tracing } from '../../tracing/tracing.js';
import { appendTrail } from '../../trail/trail.repository.js';
import type { EventMetrics } from '../event-metrics.js';
import type { MessagingTables } from '../messaging.tables.js';
import type { OutboxRelay } from '../outbox/relay.js';
import { deleteUnhandled, storeDeadLetter } from './dead-letter.repository.js';
import { reasonOf } from './dead-letter-reason.js';
import { storeDueEvent } from './due-event.repository.js';
import type { HandlesEvent } from './event-handler.js';
import { insertInboxRow, isHandled } from './inbox.repository.js';

/** How long one attempt to handle an event may take. */
export const attemptTimeoutMs = timeLimitsMs.handleEvent;

/** The pauses between the attempts on an event; after the last one it is dead-lettered. */
const retryPausesMs = [100, 500, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;
export const attemptsMax = retryPausesMs.length + 1;

/** Whether the event took effect now, or had done so before. */
export type HandleOutcome = 'handled' | 'already_handled';

/** An event on its way to a consumer: from its stream, a reconciler or a redrive. */
export interface IncomingEvent {
  readonly messageId: string;
  readonly subject: string;
  /** JSON, unless it is malformed. */
  readonly body: string;
  readonly requestId: string | null;
  readonly trace: TraceHeaders | null;
  /** The dead letter that an operator redrives, for the trail; absent where no one does. */
  readonly deadLetterId?: string;
}

/** A message does not match the schema of the consumer's event: no attempt can succeed. */
class MalformedEventError extends Error {
  override readonly name = 'MalformedEventError';
}

/** An attempt exceeded its time. */
class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
}

/**
 * Handles the events of one consumer exactly once: every way by which an event can arrive leads through here, and its effect is
 * stored in one transaction with its inbox row.
 */
export class InboxHandler {
  readonly #check: ReturnType<typeof compileTolerant>;

  constructor(
    private readonly handler: HandlesEvent<EventContract, MessagingTables>,
    private readonly binding: ConsumerBinding,
    private readonly parts: {
      db: Kysely<MessagingTables>;
      relay: OutboxRelay;
      logger: Logger;
      metrics: EventMetrics;
      tracing: Tracing;
      /** An event may be due. */
      dueStored: () => void;
    },
  ) {
    this.#check = compileTolerant(binding.event.body);
  }

  /** The durable name of the consumer. */
  get consumer(): string {
    return this.binding.durable;
  }

  get event(): EventContract {
    return this.binding.event;
  }

  /** Whether a body matches the schema of the consumer's event. */
  canRead(body: string): boolean {
    return this.#check(parse(body)).ok;
  }

  /**
   * Handles the event unless it was handled before. Either way it is no dead letter afterwards.
   * @throws MalformedEventError; what the handler throws; AttemptTimeoutError. Then the attempt has no effect, unless it timed out
   * during its commit.
   */
  async handle(event: IncomingEvent): Promise<HandleOutcome> {
    const { consumer } = this;
    const { outcomes, durations } = this.parts.metrics;
    const startedMs = performance.now();
    try {
      const outcome = await this.#attempt(event);
      if (outcome === 'handled') {
        outcomes.inc({ consumer, outcome: 'handled' });
      }
      return outcome;
    } catch (error) {
      outcomes.inc({ consumer, outcome: 'failed' });
      throw error;
    } finally {
      durations.observe({ consumer }, secondsSince(startedMs));
    }
  }

  /** Makes an event due that a reconciler has found missing. */
  async makeDue(event: IncomingEvent): Promise<void> {
    await this.#storeDue(event, { reason: null, attempts: 0, pauseMs: 0 });
    this.parts.metrics.outcomes.inc({ consumer: this.consumer, outcome: 'reconciled' });
  }

  /** Makes an event due again whose attempt has failed; after the last attempt, or where none can succeed, it is dead-lettered. */
  async fail(event: IncomingEvent, error: unknown, attempts: number): Promise<void> {
    const { consumer } = this;
    const { messageId } = event;
    const pauseMs = error instanceof MalformedEventError ? undefined : retryPausesMs[attempts - 1];
    this.parts.logger.warn(
      { err: error, consumer, message_id: messageId, attempts, pause_ms: pauseMs },
      'event handling failed',
    );
    if (pauseMs === undefined) {
      await this.deadLetter(event, reasonOf(error), attempts);
    } else {
      await this.#storeDue(event, { reason: reasonOf(error), attempts, pauseMs });
    }
  }

  async #storeDue(event: IncomingEvent, due: Parameters<typeof storeDueEvent>[3]): Promise<void> {
    const { messageId } = event;
    await storeDueEvent(this.parts.db, { consumer: this.consumer, messageId }, event, due);
    this.parts.dueStored();
  }

  /**
   * Dead-letters the event unless it was handled.
   * @param attempts since it was dead-lettered last, or at all.
   */
  async deadLetter(event: IncomingEvent, reason: string, attempts: number): Promise<void> {
    const { consumer } = this;
    const { messageId } = event;
    const { db, logger, metrics } = this.parts;
    await storeDeadLetter(db, { consumer, messageId }, event, reason, attempts);
    metrics.outcomes.inc({ consumer, outcome: 'dead_lettered' });
    logger.error({ consumer, message_id: messageId, attempts, reason }, 'event dead-lettered');
  }

  /** One that hangs would occupy its place for ever. What it still does is bounded by the database, and takes effect once. */
  #attempt(event: IncomingEvent): Promise<HandleOutcome> {
    const { consumer } = this;
    const timeoutMs = remainingMs(attemptTimeoutMs);
    const context = newContext(timeoutMs, event.requestId ?? undefined);
    const span = { kind: SpanKind.CONSUMER, attributes: messagingAttributes(this.event, event, consumer) };
    const expire = () => {
      throw new AttemptTimeoutError(`the attempt exceeded ${timeoutMs} ms`);
    };
    return this.parts.tracing.startEntrySpan(context, event.trace, `process ${consumer}`, span, () =>
      withTimeout(this.#handleOnce(event), timeoutMs, expire),
    );
  }

  async #handleOnce({ messageId, body: json, deadLetterId, subject }: IncomingEvent): Promise<HandleOutcome> {
    const body = this.#read(json);
    setLogContext(logContextOf(body));
    const key = { consumer: this.consumer, messageId };
    const db = forTenant(this.parts.db, businessOf(body as EventBody));
    let prepared: unknown;
    if (this.handler.prepare) {
      if (await isHandled(db, key)) {
        await deleteUnhandled(db, key);
        return 'already_handled';
      }
      prepared = await this.handler.prepare(body);
    }
    const done = await this.parts.relay.transaction(db, async (trx) => {
      if (!(await insertInboxRow(trx, key))) {
        return null;
      }
      const result = await this.handler.handle(body, trx, prepared);
      if (deadLetterId !== undefined) {
        await appendTrail(trx, {
          business_id: businessOf(body as EventBody),
          action: 'dead_letter.redrive',
          subject: deadLetterId,
          actor: 'operator',
          before: { consumer: this.consumer, event: subject },
          after: null,
        });
      }
      return { result };
    });
    if (!done) {
      return 'already_handled';
    }
    this.handler.committed?.(body, done.result);
    return 'handled';
  }

  #read(json: string): EventOf<EventContract> {
    const checked = this.#check(parse(json));
    if (checked.ok) {
      return checked.value as EventOf<EventContract>;
    }
    throw new MalformedEventError(
      `the event does not match its schema: ${JSON.stringify(checked.errors[0])}`,
    );
  }
}

/** The attributes of the span of an attempt, by OpenTelemetry's semantic conventions. */
function messagingAttributes(
  event: EventContract,
  { messageId }: IncomingEvent,
  consumer: string,
): Attributes {
  return {
    'messaging.system': 'nats',
    'messaging.operation.type': 'process',
    'messaging.destination.template': `${event.subject}.{document}`,
    'messaging.message.id': messageId,
    'messaging.consumer.group.name': consumer,
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
