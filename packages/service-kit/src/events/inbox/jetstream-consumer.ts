import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { type MsgHdrs, type NatsConnection, nanos, type Subscription } from '@nats-io/nats-core';
import { streamOf, type TraceHeaders } from '@pinkas/contracts';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { Pause } from '../../jobs/pause.js';
import type { BackgroundTask } from '../../process/background-task.js';
import type { Logger } from '../../process/logger.js';
import { ConnectionState } from '../../process/nats-connection.js';
import { header, readTraceHeaders } from '../../rpc/headers.js';
import { parseTraceHeaders, traceHeadersOf } from '../../tracing/trace-headers.js';
import type { InboxHandler, IncomingEvent } from './inbox-handler.js';
import { derivedMessageId, outboxMessageId } from './message-id.js';

/** After so many deliveries without an outcome their processes have died of the event: further attempts count in the database. */
const deliveriesMax = 3;
/** The pause before an event is delivered again whose failure could not be stored, since the database is unavailable. */
const storePauseMs = 5_000;
/** How many events may be in flight, or wait for the database. The server delivers nothing beyond it. */
const unacknowledgedMax = 100_000;
/** How long the server waits for an acknowledgement or a heartbeat before it delivers an event again. */
const ackWaitMs = timeLimitsMs.acknowledge;
const heartbeatMs = timeLimitsMs.heartbeat;
const drainTimeoutMs = 2_000;
const restartPauseMs = 500;
/** The client goes on pulling after these; a new pull, of a consumer that was looked up again, goes on for certain. */
const restartStatuses = ['consumer_not_found', 'consumer_deleted', 'stream_not_found', 'heartbeats_missed'];

/**
 * Delivers the events of a stream to one inbox handler: a durable pull consumer with explicit acknowledgements. An event is
 * acknowledged after its effect has committed, or its failure: the stream brings the first attempt alone.
 */
export class JetStreamConsumer implements BackgroundTask {
  #messages: ConsumerMessages | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;
  readonly #pause = new Pause();
  /** Ends the wait for a free place. */
  #placeFreed: (() => void) | undefined;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    private readonly handler: InboxHandler,
    private readonly parts: {
      connection: NatsConnection;
      jetstream: JetStreamClient;
      manager: () => Promise<JetStreamManager>;
      ensureStreams: () => Promise<unknown>;
      logger: Logger;
      /** How many events are in flight at most. */
      concurrency: number;
    },
  ) {
    // What was pulled over the old connection is not sent on the new one.
    new ConnectionState(parts.connection, { reconnected: () => void this.#pullAgain() });
  }

  get consumer(): string {
    return this.handler.consumer;
  }

  /** How many events the stream still has for this consumer, those in flight included. */
  async pending(): Promise<number> {
    const { consumers } = await this.parts.manager();
    const info = await consumers.info(streamOf(this.handler.event.owner).name, this.consumer);
    return info.num_pending + info.num_ack_pending;
  }

  /** Whether the stream has more for this consumer than it handles at once: all it has, before the consumer is created. */
  async hasBacklog(): Promise<boolean> {
    try {
      return (await this.pending()) > this.parts.concurrency;
    } catch (error) {
      // A server that does not answer delivers nothing.
      return isNotFound(error);
    }
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Takes no more events and waits for those in flight. What the server has delivered and was not started is returned at once, for
   * another replica: otherwise the server would wait `ackWaitMs` for it.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pause.end();
    this.#placeFreed?.();
    if (this.#messages) {
      await drain(this.#messages);
    }
    await this.#running;
    await Promise.all(this.#inFlight);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#consume();
      } catch (error) {
        if (!this.#stopped) {
          this.parts.logger.warn({ err: error, consumer: this.consumer }, 'consumer failed');
        }
      }
      if (!this.#stopped) {
        await this.#pause.wait(restartPauseMs);
      }
    }
  }

  /** Consumes until stopped, or until the stream or the consumer no longer exists on the server. */
  async #consume(): Promise<void> {
    const { concurrency, jetstream } = this.parts;
    const stream = streamOf(this.handler.event.owner).name;
    await this.parts.ensureStreams();
    await this.#ensureConsumer(stream);
    const consumer = await jetstream.consumers.get(stream, this.consumer);
    // No more than what is handled next: what waits here is in flight for the server, and its ack wait runs.
    const messages = await consumer.consume({ max_messages: concurrency, idle_heartbeat: 5_000 });
    this.#messages = messages;
    if (this.#stopped) {
      messages.stop();
    }
    void this.#watchStatus(messages);
    for await (const message of messages) {
      if (this.#stopped) {
        message.nak();
        continue;
      }
      this.#start(message);
      if (this.#inFlight.size >= concurrency && !this.#stopped) {
        await new Promise<void>((resolve) => {
          this.#placeFreed = resolve;
        });
      }
    }
  }

  async #pullAgain(): Promise<void> {
    if (this.#messages) {
      await drain(this.#messages);
    }
    this.#pause.end();
  }

  #start(message: JsMsg): void {
    const work = this.#receive(message).finally(() => {
      this.#inFlight.delete(work);
      this.#placeFreed?.();
    });
    this.#inFlight.add(work);
  }

  /** Creates the consumer on the server, or updates the existing one. */
  async #ensureConsumer(stream: string): Promise<void> {
    const { consumers } = await this.parts.manager();
    const settings = {
      filter_subject: `${this.handler.event.subject}.*`,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: unacknowledgedMax,
      max_deliver: -1,
    };
    try {
      await consumers.update(stream, this.consumer, settings);
    } catch (error) {
      if (!isNotFound(error)) {
        throw error;
      }
      await consumers.add(stream, {
        ...settings,
        durable_name: this.consumer,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
      });
    }
  }

  async #watchStatus(messages: ConsumerMessages): Promise<void> {
    for await (const status of messages.status()) {
      // A store that was wiped loses stream and consumer: end, so that both are created again.
      if (restartStatuses.includes(status.type)) {
        messages.stop();
      }
    }
  }

  async #receive(message: JsMsg): Promise<void> {
    const heartbeat = setInterval(() => message.working(), heartbeatMs);
    try {
      await this.#handle(message);
      message.ack();
    } catch (error) {
      this.parts.logger.error({ err: error, consumer: this.consumer }, 'event failure store failed');
      message.nak(storePauseMs);
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** The first attempt. @throws where the event is neither handled, nor due again, nor dead-lettered. */
  async #handle(message: JsMsg): Promise<void> {
    const attempts = message.info.deliveryCount;
    const event = incomingEventOf(message);
    if (outboxMessageId(message.headers?.get('Nats-Msg-Id')) === null) {
      const reason = 'the message has no UUID as its Nats-Msg-Id: no outbox published it';
      return this.handler.deadLetter(event, reason, 0);
    }
    if (attempts > deliveriesMax) {
      const error = new Error(`${attempts - 1} attempts were made, the last without an end`);
      return this.handler.fail(event, error, deliveriesMax);
    }
    try {
      await this.handler.handle(event);
    } catch (error) {
      await this.handler.fail(event, error, attempts);
    }
  }
}

const isNotFound = (error: unknown) => error instanceof JetStreamApiError && error.status === 404;

/** Ends a pull without a loss: the iterator ends after the last message. `stop` alone would drop what the server still sends. */
async function drain(messages: ConsumerMessages): Promise<void> {
  const subscription = subscriptionOf(messages);
  if (!subscription.isClosed()) {
    await withTimeout(subscription.drain(), drainTimeoutMs, () => {});
  }
  messages.stop();
}

/**
 * The subscription of a pull, which `nats` keeps in a private field.
 * @throws where this release of `nats` has no such field.
 */
export function subscriptionOf(messages: ConsumerMessages): Subscription {
  const { sub } = messages as unknown as { sub?: Subscription };
  if (typeof sub?.drain !== 'function') {
    throw new Error('the consumer messages of nats have no subscription');
  }
  return sub;
}

function incomingEventOf(message: JsMsg): IncomingEvent {
  const { stream, streamSequence, timestampNanos } = message.info;
  const place = { stream, sequence: streamSequence, storedAtNanos: timestampNanos };
  return {
    messageId: outboxMessageId(message.headers?.get('Nats-Msg-Id')) ?? derivedMessageId(place),
    subject: message.subject,
    body: new TextDecoder().decode(message.data),
    requestId: message.headers?.get(header.requestId) || null,
    trace: validTraceHeaders(message.headers),
  };
}

/** The trace headers of a message, where they are valid: they are stored with a dead letter. */
function validTraceHeaders(headers: MsgHdrs | undefined): TraceHeaders | null {
  const parent = parseTraceHeaders(readTraceHeaders(headers));
  return parent ? traceHeadersOf(parent) : null;
}
