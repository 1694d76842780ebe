import { Injectable } from '@nestjs/common';
import {
  businessOf,
  compile,
  type EventBody,
  type EventContract,
  type EventOf,
  streamOf,
} from '@pinkas/contracts';
import type { Kysely, Transaction } from 'kysely';
import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  nanos,
} from 'nats';
import { newContext, withContext } from '../context.js';
import { ofBusiness } from '../db/database.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Logger } from '../logger.js';
import { decode, header } from '../rpc/wire.js';
import type { Relay } from './outbox.js';

/**
 * A class that handles one event. `prepare` does what cannot be part of a transaction (a rendering, a call): it may run
 * more than once, so it must be repeatable. `handle` stores the effect; it runs in one transaction with the inbox row, so
 * it takes effect once, and sees the rows of the event's business only (`prepare` chooses for itself what it sees).
 * `committed` runs after that with what `handle` returned, and may be lost.
 */
export interface Consumes<E extends EventContract, Tables = never, Prepared = unknown, Handled = unknown> {
  prepare?(event: EventOf<E>): Promise<Prepared>;
  handle(event: EventOf<E>, trx: Transaction<Tables>, prepared: Prepared): Promise<Handled>;
  committed?(event: EventOf<E>, handled: Handled): void;
}

const eventKey = Symbol('pinkas:event');

/** Makes a class the consumer of an event, under a durable name that must never change. */
export function Consumer<E extends EventContract>(event: E, durable: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies; tables and preparation are its own.
  return <T extends new (...dependencies: any[]) => Consumes<E, any, any, any>>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(eventKey, { event, durable }, target);
  };
}

/** What a class consumes, if it is a consumer. */
export function consumptionOf(target: object): { event: EventContract; durable: string } | undefined {
  return Reflect.getMetadata(eventKey, target) as { event: EventContract; durable: string } | undefined;
}

/** The pauses before an event that failed is tried again; after the last one it is given up. Milliseconds. */
const retryPausesMs = [100, 500, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;
/** How long one try may take. */
const tryTimeoutMs = 30_000;
const concurrencyMax = 16;

/**
 * Runs one consumer: a durable pull consumer with explicit acknowledgements. An event is acknowledged after its effect
 * has committed; one that keeps failing is kept as a dead letter with its reason, and holds up nothing.
 */
export class ConsumerRunner {
  readonly #check: ReturnType<typeof compile>;
  #messages: ConsumerMessages | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    private readonly handler: Consumes<EventContract, MessagingTables, unknown>,
    private readonly consumption: { event: EventContract; durable: string },
    private readonly parts: {
      db: Kysely<MessagingTables>;
      jetstream: JetStreamClient;
      manager: () => Promise<JetStreamManager>;
      ensureStreams: () => Promise<unknown>;
      logger: Logger;
      relay: Relay;
    },
  ) {
    this.#check = compile(consumption.event.body);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Takes no more events and waits for those in hand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    this.#messages?.stop();
    await this.#running;
    await Promise.all(this.#inFlight);
  }

  async #run(): Promise<void> {
    const { durable } = this.consumption;
    while (!this.#stopped) {
      try {
        await this.#consume();
      } catch (error) {
        if (!this.#stopped)
          this.parts.logger.warn({ err: error, consumer: durable }, 'the consumer starts again');
      }
      if (!this.#stopped) await this.#pause(500);
    }
  }

  /** Consumes until stopped, or until the stream or the consumer is gone from the server. */
  async #consume(): Promise<void> {
    const { event, durable } = this.consumption;
    const stream = streamOf(event.owner).name;
    const manager = await this.parts.manager();
    await this.parts.ensureStreams();
    await manager.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      filter_subject: `${event.subject}.*`,
      ack_wait: nanos(tryTimeoutMs + 10_000),
      max_ack_pending: 512,
      max_deliver: -1,
    });
    const consumer = await this.parts.jetstream.consumers.get(stream, durable);
    const messages = await consumer.consume({ max_messages: concurrencyMax * 2, idle_heartbeat: 5_000 });
    this.#messages = messages;
    if (this.#stopped) messages.stop();
    void this.#watchStatus(messages);
    for await (const message of messages) {
      const work = this.#receive(message).finally(() => this.#inFlight.delete(work));
      this.#inFlight.add(work);
      if (this.#inFlight.size >= concurrencyMax) await Promise.race(this.#inFlight);
    }
  }

  async #watchStatus(messages: ConsumerMessages): Promise<void> {
    for await (const status of await messages.status()) {
      // A store that was wiped takes stream and consumer with it: end, so that both are made anew.
      if (['consumer_not_found', 'consumer_deleted', 'stream_not_found'].includes(String(status.type)))
        messages.stop();
    }
  }

  async #receive(message: JsMsg): Promise<void> {
    const { durable } = this.consumption;
    const messageId = message.headers?.get('Nats-Msg-Id') ?? '';
    const attempts = message.info.redeliveryCount;
    const context = newContext(tryTimeoutMs, message.headers?.get(header.requestId) || undefined);
    await withContext(context, async () => {
      try {
        const event = this.#check(decode(message.data));
        if (!event.ok) {
          await this.#giveUp(
            message,
            messageId,
            `it does not match its schema: ${JSON.stringify(event.faults[0])}`,
          );
          return;
        }
        await this.#handleOnce(messageId, event.value as EventOf<EventContract>);
        message.ack();
      } catch (error) {
        const pauseMs = retryPausesMs[attempts - 1];
        this.parts.logger.warn(
          { err: error, consumer: durable, attempts, pauseMs },
          'an event could not be handled',
        );
        if (pauseMs !== undefined) message.nak(pauseMs);
        else await this.#giveUp(message, messageId, error instanceof Error ? error.message : String(error));
      }
    }).catch((error: unknown) => {
      // Not even giving up worked: unacknowledged, the event comes again.
      this.parts.logger.error({ err: error, consumer: durable }, 'an event could not be given up');
      message.nak(retryPausesMs[retryPausesMs.length - 1]);
    });
  }

  async #handleOnce(messageId: string, event: EventOf<EventContract>): Promise<void> {
    const { relay } = this.parts;
    const db = ofBusiness(this.parts.db, businessOf(event as EventBody));
    const consumer = this.consumption.durable;
    let prepared: unknown;
    if (this.handler.prepare) {
      const done = await db
        .selectFrom('inbox')
        .select('message_id')
        .where('consumer', '=', consumer)
        .where('message_id', '=', messageId)
        .executeTakeFirst();
      if (done) return;
      prepared = await this.handler.prepare(event);
    }
    const done = await relay.transaction(db, async (trx) => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('inbox')
        .values({ consumer, message_id: messageId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return null;
      return { handled: await this.handler.handle(event, trx, prepared) };
    });
    if (done) this.handler.committed?.(event, done.handled);
  }

  /** Keeps the step where an operator sees it, and takes it off the stream. */
  async #giveUp(message: JsMsg, messageId: string, reason: string): Promise<void> {
    await this.parts.db
      .insertInto('dead_letter')
      .values({
        consumer: this.consumption.durable,
        message_id: messageId,
        subject: message.subject,
        body: new TextDecoder().decode(message.data),
        reason: reason.slice(0, 1_000),
        attempts: message.info.redeliveryCount,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    message.term();
    this.parts.logger.error(
      { consumer: this.consumption.durable, message_id: messageId, reason },
      'a step was given up',
    );
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
    });
  }
}
