import {
  businessOf,
  compileTolerant,
  type EventBody,
  type EventContract,
  type EventOf,
  type TraceCarrier,
} from '@pinkas/contracts';
import { type Kysely, sql } from 'kysely';
import { newContext, remainingMs } from '../context.js';
import { ofBusiness } from '../db/database.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Logger } from '../logger.js';
import { secondsSince } from '../metrics.js';
import { type Attributes, noteSubject, SpanKind } from '../tracing/spans.js';
import { subjectOf } from '../tracing/subject-of.js';
import type { Tracing } from '../tracing/tracing.js';
import type { Consumes, Consumption } from './consumer.js';
import { storable } from './dead-letter-reason.js';
import type { StepMetrics } from './messaging-metrics.js';
import type { Relay } from './outbox.js';

/** How long one try of a step may take, in milliseconds. */
export const tryTimeoutMs = 30_000;

/** An event as it reaches a consumer, whichever way it came: by its stream, by a sweep, or by an operator's hand. */
export interface Arrival {
  readonly messageId: string;
  readonly subject: string;
  /** JSON, unless it is rubbish. */
  readonly body: string;
  readonly requestId: string | null;
  readonly trace: TraceCarrier | null;
}

/** What has arrived is not the event that the consumer expects, and never will be. */
export class MalformedEvent extends Error {
  override readonly name = 'MalformedEvent';
}

/** A step did not come to an end in time. */
class StepTimedOut extends Error {
  override readonly name = 'StepTimedOut';
}

/**
 * What one consumer owes for an event. Every way by which an event can arrive leads through here, so that its effect happens
 * once, whoever is first and however many come at the same time.
 */
export class Step {
  readonly #check: ReturnType<typeof compileTolerant>;

  constructor(
    private readonly handler: Consumes<EventContract, MessagingTables, unknown>,
    private readonly consumption: Consumption,
    private readonly parts: {
      db: Kysely<MessagingTables>;
      relay: Relay;
      logger: Logger;
      metrics: StepMetrics;
      tracing: Tracing;
    },
  ) {
    this.#check = compileTolerant(consumption.event.body);
  }

  /** The durable name of the consumer. */
  get consumer(): string {
    return this.consumption.durable;
  }

  get event(): EventContract {
    return this.consumption.event;
  }

  /** Whether a body is the event that the step expects. */
  canRead(body: string): boolean {
    return this.#check(parse(body)).ok;
  }

  /**
   * Carries the step out, unless that was done before; either way it is no dead letter afterwards.
   * @param counted as what a success counts.
   * @throws MalformedEvent; whatever the consumer throws; StepTimedOut. Then nothing of the try is left, but for a try that
   * timed out after the database was told to commit.
   */
  async carryOut(
    arrival: Arrival,
    counted: 'handled' | 'swept' = 'handled',
  ): Promise<'done' | 'done_before'> {
    const { consumer } = this;
    const timeoutMs = remainingMs(tryTimeoutMs);
    const context = newContext(timeoutMs, arrival.requestId ?? undefined);
    const { outcomes, durations } = this.parts.metrics;
    const startedMs = performance.now();
    try {
      const outcome = await this.parts.tracing.enter(
        context,
        arrival.trace,
        `process ${consumer}`,
        { kind: SpanKind.CONSUMER, attributes: messagingAttributes(this.event, arrival, consumer) },
        () => within(timeoutMs, this.#once(arrival)),
      );
      if (outcome === 'done') outcomes.inc({ consumer, outcome: counted });
      return outcome;
    } catch (error) {
      outcomes.inc({ consumer, outcome: 'failed' });
      throw error;
    } finally {
      durations.observe({ consumer }, secondsSince(startedMs));
    }
  }

  /**
   * Keeps the step where an operator sees it, unless it was done meanwhile. A step that is parked already keeps its id, and
   * counts on.
   * @param tries how often it was tried since it was parked last, or at all.
   */
  async park(arrival: Arrival, reason: string, tries: number): Promise<void> {
    const { consumer } = this;
    const { messageId, requestId, trace } = arrival;
    const { db, logger, metrics } = this.parts;
    await sql`
      insert into dead_letter (consumer, message_id, subject, body, request_id, trace, reason, attempts)
      select ${consumer}, ${messageId}::uuid, ${storable(arrival.subject)}, ${storable(arrival.body)},
        ${requestId === null ? null : storable(requestId)}, ${trace && JSON.stringify(trace)}::json, ${reason}, ${tries}::integer
      where not exists (select from inbox where consumer = ${consumer} and message_id = ${messageId}::uuid)
      on conflict on constraint dead_letter_step_key do update
      set reason = excluded.reason, attempts = dead_letter.attempts + excluded.attempts, given_up_at = now()
    `.execute(db);
    metrics.outcomes.inc({ consumer, outcome: 'parked' });
    logger.error({ consumer, message_id: messageId, tries, reason }, 'a step was given up');
  }

  async #once(arrival: Arrival): Promise<'done' | 'done_before'> {
    const event = this.#read(arrival);
    noteSubject(subjectOf(event));
    const { consumer } = this;
    const { messageId } = arrival;
    const { relay } = this.parts;
    const db = ofBusiness(this.parts.db, businessOf(event as EventBody));
    let prepared: unknown;
    if (this.handler.prepare) {
      const done = await db
        .selectFrom('inbox')
        .select('message_id')
        .where('consumer', '=', consumer)
        .where('message_id', '=', messageId)
        .executeTakeFirst();
      if (done) {
        await db
          .deleteFrom('dead_letter')
          .where('consumer', '=', consumer)
          .where('message_id', '=', messageId)
          .execute();
        return 'done_before';
      }
      prepared = await this.handler.prepare(event);
    }
    const done = await relay.transaction(db, async (trx) => {
      // One statement, so that a step which was parked meanwhile costs those that were not no round trip.
      const { numInsertedOrUpdatedRows } = await trx
        .with('taken_up', (own) =>
          own
            .deleteFrom('dead_letter')
            .where('consumer', '=', consumer)
            .where('message_id', '=', messageId)
            .returning('id'),
        )
        .insertInto('inbox')
        .values({ consumer, message_id: messageId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return null;
      return { handled: await this.handler.handle(event, trx, prepared) };
    });
    if (!done) return 'done_before';
    this.handler.committed?.(event, done.handled);
    return 'done';
  }

  #read({ body }: Arrival): EventOf<EventContract> {
    const event = this.#check(parse(body));
    if (event.ok) return event.value as EventOf<EventContract>;
    throw new MalformedEvent(`it does not match its schema: ${JSON.stringify(event.faults[0])}`);
  }
}

/** What a span says of the message that it handles, by OpenTelemetry's conventions for messaging. */
function messagingAttributes(event: EventContract, { messageId }: Arrival, consumer: string): Attributes {
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

/**
 * Waits for `work`, but not for ever: one that hangs would hold its worker until nothing is handled any more. What it still
 * does is bounded by the database's own limits, and takes effect at most once.
 */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new StepTimedOut(`it did not come to an end in ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
