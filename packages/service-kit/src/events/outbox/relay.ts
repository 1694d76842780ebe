import type { JetStreamClient } from '@nats-io/jetstream';
import { type NatsConnection, headers as natsHeaders } from '@nats-io/nats-core';
import type { Kysely, Transaction } from 'kysely';
import { type PeriodicTask, periodic, type TickResult } from '../../jobs/periodic-task.js';
import { newContext } from '../../process/context.js';
import type { Logger } from '../../process/logger.js';
import { ConnectionState } from '../../process/nats-connection.js';
import { header, writeTraceHeaders } from '../../rpc/headers.js';
import { encode } from '../../rpc/payload.js';
import { logContextOf } from '../../tracing/log-context-of.js';
import { currentTraceHeaders, SpanKind } from '../../tracing/spans.js';
import type { Tracing } from '../../tracing/tracing.js';
import { EventValidators } from '../event-validators.js';
import type { MessagingTables } from '../messaging.tables.js';
import {
  claimUnsent,
  hasUnsent,
  markRecentlySentAsUnsent,
  markSent,
  type OutboxEventRow,
} from './outbox.repository.js';
import { asOutboxTransaction, OutboxBuffer, type OutboxEvent, type OutboxTransaction } from './publish.js';

const batchMax = 64;
/** How often the table is looked at for what a process that died has left behind. */
const idleMs = 5_000;
/** How often, and for how long, after an event that was not sent right after its commit. */
const failedMs = { lookEvery: 1_000, lookFor: 10_000 };
const publishTimeoutMs = 2_000;
/** What is sent again at start, at least: for how long NATS was away before is not known. */
const resendAtStartSeconds = 300;
/** How long sent events may wait to be marked, so that many are marked by one statement. */
const markPauseMs = 1_000;

/**
 * Sends the outbox to JetStream: the events of a transaction right after its commit, from memory; what was left behind, because a
 * process died or NATS was unavailable, from the table. An event may be sent twice, with the same id; consumers handle an id once.
 */
export class OutboxRelay {
  readonly #look: PeriodicTask;
  readonly #state: ConnectionState;
  readonly #validators = new EventValidators();
  readonly #sending = new Set<Promise<void>>();
  /** True at start and after a reconnect, until what JetStream may have lost is marked as unsent. */
  #mayHaveLost = true;
  /** When NATS was last seen, on the clock of `performance`; undefined: at no time. */
  #connectedAtMs: number | undefined;
  /** When an event was not sent right after its commit, on the clock of `performance`. */
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #sent: string[] = [];
  #marking: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Kysely<MessagingTables>,
    connection: NatsConnection,
    private readonly jetstream: JetStreamClient,
    /** Creates the streams that are missing. */
    private readonly ensureStreams: () => Promise<unknown>,
    private readonly logger: Logger,
    private readonly tracing: Tracing,
    /** After so long JetStream has an event on its disk. */
    private readonly resendSeconds: number,
  ) {
    this.#state = new ConnectionState(connection, {
      reconnected: () => {
        this.#mayHaveLost = true;
        this.#look.trigger();
      },
    });
    this.#look = periodic('outbox', idleMs, logger, () => this.#tick());
  }

  start(): void {
    this.#look.start();
  }

  /** Finishes the sends in flight. */
  async stop(): Promise<void> {
    await this.#look.stop();
    await Promise.all(this.#sending);
    clearTimeout(this.#marking);
    await this.#mark();
  }

  /**
   * Runs `work` in a transaction, and sends the events that it published as soon as it has committed.
   * @throws what `work` or the commit throws; then nothing is sent.
   */
  async transaction<Tables extends MessagingTables, T>(
    db: Kysely<Tables>,
    work: (trx: OutboxTransaction<Tables>) => Promise<T>,
  ): Promise<T> {
    const buffer = new OutboxBuffer(this.#validators);
    const result = await db.transaction().execute((trx) => work(asOutboxTransaction(trx, buffer)));
    this.#sendAll(buffer);
    return result;
  }

  /**
   * The same for work of one statement, which needs no transaction around it.
   * @param work returns whether it has stored its events.
   */
  async statement<Tables extends MessagingTables>(
    db: Kysely<Tables>,
    work: (db: OutboxTransaction<Tables>) => Promise<boolean>,
  ): Promise<boolean> {
    const buffer = new OutboxBuffer(this.#validators);
    const alone = db.withoutPlugins() as Transaction<Tables>;
    const isStored = await work(asOutboxTransaction(alone, buffer));
    if (isStored) {
      this.#sendAll(buffer);
    }
    return isStored;
  }

  #sendAll({ events }: OutboxBuffer): void {
    if (this.#state.connected) {
      for (const event of events) {
        this.#sendSoon(event);
      }
    } else if (events.length > 0) {
      this.#failedAtMs = performance.now();
    }
  }

  #sendSoon(event: OutboxEvent): void {
    const sending = this.#send(event)
      .then(() => {
        this.#sent.push(event.id);
        this.#marking ??= setTimeout(() => void this.#mark(), markPauseMs);
      })
      // The row remains; the next tick finds it.
      .catch((error: unknown) => {
        this.logger.warn({ err: error, subject: event.subject }, 'outbox publish failed');
        this.#failedAtMs = performance.now();
        this.#look.trigger();
      })
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #mark(): Promise<void> {
    this.#marking = undefined;
    const ids = this.#sent;
    if (ids.length === 0) {
      return;
    }
    this.#sent = [];
    // Unmarked, they are sent again, which does no harm.
    await markSent(this.db, ids).catch((error: unknown) =>
      this.logger.warn({ err: error, events: ids.length }, 'outbox mark failed'),
    );
  }

  async #tick(): Promise<TickResult> {
    // While NATS is unavailable a send would only wait for its timeout, holding the rows' locks.
    if (!this.#state.connected) {
      return 'idle';
    }
    if (this.#mayHaveLost) {
      await this.#resendUnflushed();
    }
    this.#connectedAtMs = performance.now();
    // A look without a transaction, since there is mostly nothing.
    if (!(await hasUnsent(this.db))) {
      return this.#pause();
    }
    return this.db.transaction().execute(async (trx) => {
      const rows = await claimUnsent(trx, batchMax);
      const outcomes = await Promise.allSettled(rows.map((row) => this.#send(row)));
      const sent = rows.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(({ id }) => id);
      if (sent.length > 0) {
        await markSent(trx, sent);
      }
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed && sent.length === 0) {
        throw failed.reason;
      }
      return rows.length === batchMax || failed ? { done: sent.length } : this.#pause();
    });
  }

  #pause(): TickResult {
    return performance.now() - this.#failedAtMs < failedMs.lookFor ? failedMs.lookEvery : 'idle';
  }

  /** JetStream drops what it still has as a duplicate. Older events that it lost are found by the reconcilers (ADR 0011). */
  async #resendUnflushed(): Promise<void> {
    await this.ensureStreams();
    const { resendSeconds } = this;
    const seconds =
      this.#connectedAtMs === undefined
        ? Math.max(resendSeconds, resendAtStartSeconds)
        : resendSeconds + (performance.now() - this.#connectedAtMs) / 1_000;
    await markRecentlySentAsUnsent(this.db, seconds);
    this.#mayHaveLost = false;
  }

  async #send(event: OutboxEvent | OutboxEventRow): Promise<void> {
    const template = event.subject.slice(0, event.subject.lastIndexOf('.'));
    const span = {
      kind: SpanKind.PRODUCER,
      logContext: logContextOf(event.body),
      attributes: {
        'messaging.system': 'nats',
        'messaging.operation.type': 'send',
        'messaging.destination.template': `${template}.{document}`,
        'messaging.message.id': event.id,
      },
    };
    const context = newContext(publishTimeoutMs, event.request_id ?? undefined);
    await this.tracing.startEntrySpan(context, event.trace, `publish ${template}`, span, async () => {
      const headers = natsHeaders();
      if (event.request_id) {
        headers.set(header.requestId, event.request_id);
      }
      // A process that records no spans passes on the trace of the row.
      writeTraceHeaders(headers, currentTraceHeaders() ?? event.trace);
      await this.jetstream.publish(event.subject, encode(event.body), {
        msgID: event.id,
        headers,
        timeout: publishTimeoutMs,
      });
    });
  }
}
