import { streamOf, type TraceCarrier } from '@pinkas/contracts';
import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type MsgHdrs,
  nanos,
  type Subscription,
} from 'nats';
import type { Logger } from '../logger.js';
import { header, saidTrace } from '../rpc/wire.js';
import { carrierOf, readCarrier } from '../tracing/trace-carrier.js';
import { reasonOf } from './dead-letter-reason.js';
import { derivedMessageId, ownMessageId } from './message-id.js';
import { type Arrival, MalformedEvent, type Step } from './step.js';

/** The pauses before an event that failed is tried again; after the last one it is given up. Milliseconds. */
const retryPausesMs = [100, 500, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;
const triesMax = retryPausesMs.length + 1;
/**
 * How many events may be under way or wait for their next try. The server hands out nothing more beyond it, so it lies far above
 * what nine minutes of failures can gather: what fails must not hold up what does not.
 */
const unacknowledgedMax = 100_000;
/**
 * How long the server waits for a sign of life before it hands an event out again, in milliseconds: so long does a step stand
 * still whose process has died, or whose acknowledgement was lost with a connection.
 */
const ackWaitMs = 15_000;
/** How long, at stop, the server is given to say that it has sent everything. */
const drainTimeoutMs = 2_000;
/** How often a step that is still being carried out gives that sign. */
const signOfLifeMs = 5_000;

/**
 * Runs one consumer on its stream: a durable pull consumer with explicit acknowledgements. An event is acknowledged after
 * its effect has committed; one that keeps failing is kept as a dead letter with its reason, and holds up nothing.
 */
export class ConsumerRunner {
  #messages: ConsumerMessages | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** Ends the wait for one of those in hand. */
  #goOn: (() => void) | undefined;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    private readonly step: Step,
    private readonly parts: {
      jetstream: JetStreamClient;
      manager: () => Promise<JetStreamManager>;
      ensureStreams: () => Promise<unknown>;
      logger: Logger;
      /** How many events are handled at once. */
      concurrency: number;
    },
  ) {}

  get consumer(): string {
    return this.step.consumer;
  }

  /** How many events the stream still has for this consumer, those under way included. */
  async waiting(): Promise<number> {
    const { consumers } = await this.parts.manager();
    const info = await consumers.info(streamOf(this.step.event.owner).name, this.step.consumer);
    return info.num_pending + info.num_ack_pending;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Takes no more events and waits for those in hand. What the server has handed out and nobody has begun is given back at
   * once, for another replica to take: unsaid, the server would wait for it until `ackWaitMs` are over.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    this.#goOn?.();
    if (this.#messages) await drained(this.#messages);
    await this.#running;
    await Promise.all(this.#inFlight);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#consume();
      } catch (error) {
        if (!this.#stopped)
          this.parts.logger.warn({ err: error, consumer: this.step.consumer }, 'the consumer starts again');
      }
      if (!this.#stopped) await this.#pause(500);
    }
  }

  /** Consumes until stopped, or until the stream or the consumer is gone from the server. */
  async #consume(): Promise<void> {
    const { concurrency, jetstream } = this.parts;
    const stream = streamOf(this.step.event.owner).name;
    await this.parts.ensureStreams();
    await this.#ensureConsumer(stream);
    const consumer = await jetstream.consumers.get(stream, this.step.consumer);
    // What waits here is under way for the server: no more than what is handled next, or its time runs out meanwhile.
    const messages = await consumer.consume({ max_messages: concurrency, idle_heartbeat: 5_000 });
    this.#messages = messages;
    if (this.#stopped) messages.stop();
    void this.#watchStatus(messages);
    for await (const message of messages) {
      if (this.#stopped) {
        message.nak();
        continue;
      }
      const work = this.#receive(message).finally(() => {
        this.#inFlight.delete(work);
        this.#goOn?.();
      });
      this.#inFlight.add(work);
      if (this.#inFlight.size >= concurrency && !this.#stopped) {
        await new Promise<void>((resolve) => {
          this.#goOn = resolve;
        });
      }
    }
  }

  /** Makes the consumer on the server, or brings the one that is there up to date. */
  async #ensureConsumer(stream: string): Promise<void> {
    const { consumers } = await this.parts.manager();
    const settings = {
      filter_subject: `${this.step.event.subject}.*`,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: unacknowledgedMax,
      max_deliver: -1,
    };
    try {
      await consumers.update(stream, this.step.consumer, settings);
    } catch (error) {
      if ((error as { api_error?: { code?: number } }).api_error?.code !== 404) throw error;
      await consumers.add(stream, {
        ...settings,
        durable_name: this.step.consumer,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
      });
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
    const signs = setInterval(() => message.working(), signOfLifeMs);
    try {
      await this.#work(message);
    } catch (error) {
      // Not even giving up worked, since the database is away: the event comes again.
      this.parts.logger.error({ err: error, consumer: this.step.consumer }, 'an event could not be given up');
      message.nak(retryPausesMs[retryPausesMs.length - 1]);
    } finally {
      clearInterval(signs);
    }
  }

  async #work(message: JsMsg): Promise<void> {
    const { logger } = this.parts;
    const { consumer } = this.step;
    const attempts = message.info.deliveryCount;
    const ownId = ownMessageId(message.headers?.get('Nats-Msg-Id'));
    const arrival = arrivalOf(message, ownId);
    const giveUp = async (reason: string, tries: number) => {
      await this.step.park(arrival, reason, tries);
      message.term();
    };
    if (ownId === null) return giveUp('it bears no id of ours (Nats-Msg-Id): a stranger has published it', 0);
    const overdue = attempts > triesMax;
    // Whoever tried it last has died of it, or could not park it. Parked first, the next death cannot bring it back.
    if (overdue)
      await giveUp(`it was tried ${attempts - 1} times, the last time without an end`, attempts - 1);
    try {
      await this.step.carryOut(arrival);
      if (!overdue) message.ack();
    } catch (error) {
      const pauseMs = retryPausesMs[attempts - 1];
      logger.warn({ err: error, consumer, attempts, pauseMs }, 'an event could not be handled');
      if (error instanceof MalformedEvent) await giveUp(reasonOf(error), 1);
      else if (pauseMs !== undefined) message.nak(pauseMs);
      else await giveUp(reasonOf(error), overdue ? 1 : attempts);
    }
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

/**
 * Ends a pull so that nothing is lost on its way: its subscription is drained, and the iterator ends after the last message.
 * `stop` alone would drop what the server sends until it hears of it.
 */
async function drained(messages: ConsumerMessages): Promise<void> {
  const { sub } = messages as unknown as { sub: Subscription };
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, drainTimeoutMs).unref());
  if (!sub.isClosed()) await Promise.race([sub.drain(), timeout]);
  messages.stop();
}

function arrivalOf(message: JsMsg, ownId: string | null): Arrival {
  const { stream, streamSequence, timestampNanos } = message.info;
  const messageId =
    ownId ?? derivedMessageId({ stream, sequence: streamSequence, takenAtNanos: timestampNanos });
  return {
    messageId,
    subject: message.subject,
    body: new TextDecoder().decode(message.data),
    requestId: message.headers?.get(header.requestId) || null,
    trace: carrierIn(message.headers),
  };
}

/** The trace that a message names, if it is one: it is kept where the message is parked. */
function carrierIn(headers: MsgHdrs | undefined): TraceCarrier | null {
  const named = readCarrier(saidTrace(headers));
  return named ? carrierOf(named) : null;
}
