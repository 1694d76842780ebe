import {
  type Contract,
  type MessagingService,
  messaging,
  outboxPageMax,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import type { Kysely } from 'kysely';
import { type PeriodicTask, periodic } from '../../jobs/periodic-task.js';
import { ApiError } from '../../process/api-error.js';
import type { BackgroundTask } from '../../process/background-task.js';
import { newContext, withContext } from '../../process/context.js';
import type { Logger } from '../../process/logger.js';
import type { RpcClient } from '../../rpc/client.js';
import { missingOf } from '../inbox/inbox.repository.js';
import type { InboxHandler, IncomingEvent } from '../inbox/inbox-handler.js';
import type { JetStreamConsumer } from '../inbox/jetstream-consumer.js';
import type { MessagingTables } from '../messaging.tables.js';
import { claimCheckpoint, extendClaim, saveCheckpoint } from './checkpoint.repository.js';

/** The part of the pause for which a replica claims the consumer; timers are not exact, and no tick should be left out. */
const claimShare = 0.9;
/** How long a backlog of the stream may put off a reconciliation: about as long as the consumer attempts an event. */
const backlogMs = 10 * 60 * 1_000;
const callTimeoutMs = 5_000;

/**
 * Compares the outbox of the event's owner with the inbox of one consumer, and makes due what is missing. So an event is lost neither
 * with a message nor with a stream nor with the whole store of NATS (ADR 0011). One replica at a time does so.
 */
export class Reconciler implements BackgroundTask {
  readonly #comparison: PeriodicTask;
  readonly #owner: (typeof messaging)[MessagingService];
  #stopping = false;

  constructor(
    private readonly handler: InboxHandler,
    private readonly parts: {
      db: Kysely<MessagingTables>;
      client: RpcClient;
      logger: Logger;
      consumer: JetStreamConsumer;
      everyMs: number;
    },
  ) {
    // The owner of an event has an outbox, and so these contracts.
    this.#owner = messaging[handler.event.owner as MessagingService];
    const name = `reconciler of ${handler.consumer}`;
    this.#comparison = periodic(name, parts.everyMs, parts.logger, async () => {
      await this.#tick();
      return 'idle';
    });
  }

  start(): void {
    this.#comparison.start();
  }

  /** Waits for the events in flight. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#comparison.stop();
  }

  async #tick(): Promise<void> {
    const { db, everyMs, logger } = this.parts;
    const { consumer } = this.handler;
    const claimMs = claimShare * everyMs;
    // What the stream is about to deliver is not lost.
    const unclaimedForMs = (await this.parts.consumer.hasBacklog()) ? backlogMs : 0;
    const checkpoint = await claimCheckpoint(db, consumer, claimMs, unclaimedForMs);
    if (checkpoint === null) {
      return;
    }
    const extension = setInterval(
      () =>
        void extendClaim(db, consumer, claimMs).catch((error: unknown) =>
          logger.warn({ err: error, consumer }, 'reconciler claim extension failed'),
        ),
      claimMs / 3,
    );
    try {
      await this.#reconcile(checkpoint);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'engine_error')) {
        throw error;
      }
      // What is missing stays missing until the owner is back.
      logger.warn({ err: error, consumer }, 'reconciliation failed');
    } finally {
      clearInterval(extension);
    }
  }

  async #reconcile(checkpoint: number): Promise<void> {
    const { db } = this.parts;
    const { consumer } = this.handler;
    let after = checkpoint;
    for (;;) {
      const page = await this.#call(this.#owner.listOutboxEvents, {
        subject: this.handler.event.subject,
        after,
        limit: outboxPageMax,
        consumer,
      });
      for (const { id } of await missingOf(db, consumer, page.events)) {
        await this.#makeDue(id);
      }
      if (page.through > after) {
        await saveCheckpoint(db, consumer, page.through);
      }
      if (this.#stopping || !page.more) {
        break;
      }
      after = page.through;
    }
  }

  async #makeDue(id: string): Promise<void> {
    const event = await this.#fetch(id);
    if (event) {
      await this.handler.makeDue(event);
    } else {
      // Only an event that this consumer had not read for weeks can have been purged.
      const { consumer } = this.handler;
      this.parts.logger.error({ consumer, message_id: id }, 'outbox event purged before it was handled');
    }
  }

  async #fetch(id: string): Promise<IncomingEvent | undefined> {
    try {
      const { subject, body, request_id, trace } = await this.#call(this.#owner.getOutboxEvent, { id });
      return {
        messageId: id,
        subject,
        body: JSON.stringify(body),
        requestId: request_id,
        trace: trace ?? null,
      };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') {
        return undefined;
      }
      throw error;
    }
  }

  #call<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return withContext(newContext(callTimeoutMs), () => this.parts.client.call(contract, request));
  }
}
