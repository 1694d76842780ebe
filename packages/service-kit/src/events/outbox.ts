import { randomUUID } from 'node:crypto';
import {
  compileTolerant,
  type EventContract,
  type EventOf,
  eventSubject,
  type TraceCarrier,
} from '@pinkas/contracts';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type JetStreamClient, type NatsConnection, headers as natsHeaders } from 'nats';
import { currentContext, newContext } from '../context.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Logger } from '../logger.js';
import { Loop, type TurnResult } from '../loop.js';
import { ConnectionState } from '../nats-connection.js';
import { encode, header, writeTrace } from '../rpc/wire.js';
import { currentCarrier, SpanKind } from '../tracing/spans.js';
import { subjectOf } from '../tracing/subject-of.js';
import type { Tracing } from '../tracing/tracing.js';

const batchMax = 64;
const publishTimeoutMs = 2_000;
/** How long an announcement is kept, counted from its announcement: also the longest that a consumer may be away. */
const outboxKeptDays = 7;
/**
 * How long it is kept that an event was handled. An event can come again as long as its announcement is kept, since it may be
 * sent again, and from then as long as its stream keeps it (another 7 days), and then fail for some minutes: 15 days cover it.
 * Twice that is cheap, while an effect that happens twice is not.
 */
const inboxKeptDays = 30;
/** How many rows one statement of the purge looks at: some ten milliseconds' work. */
const purgedAtOnceMax = 1_000;
/** How long what has arrived may wait to be marked, so that many are marked by one statement. */
const markPauseMs = 100;
/** JetStream flushes to disk every two minutes: what it acknowledged longer ago is on its disk. */
const unflushedMinutes = 5;
/** A row that is older was not published right after its commit: its process died, or NATS was away. */
const overdue = sql<Date>`now() - interval '2 seconds'`;

const checks = new Map<string, ReturnType<typeof compileTolerant>>();

/** One announcement on its way to JetStream. */
interface Announcement {
  id: string;
  subject: string;
  body: unknown;
  request_id: string | null;
  trace: TraceCarrier | null;
}

/** What each open transaction of a `Relay` has announced so far. */
const announced = new WeakMap<object, Announcement[]>();

/**
 * Announces a fact in the transaction that makes it true: it is published if, and only if, the transaction commits. In a
 * transaction of `Relay.transaction` that happens at once, in any other within seconds.
 */
export async function announce<E extends EventContract, Tables extends MessagingTables>(
  trx: Transaction<Tables>,
  event: E,
  documentId: string,
  body: EventOf<E>,
): Promise<void> {
  const check = checks.get(event.subject) ?? compileTolerant(event.body);
  checks.set(event.subject, check);
  const checked = check(body);
  if (!checked.ok)
    throw new Error(`${event.subject} does not match its schema: ${JSON.stringify(checked.faults)}`);
  const row: Announcement = {
    id: randomUUID(),
    subject: eventSubject(event, documentId),
    body: checked.value,
    request_id: currentContext()?.requestId ?? null,
    trace: currentCarrier(),
  };
  await (trx as unknown as Transaction<MessagingTables>)
    .insertInto('outbox')
    .values({
      ...row,
      body: JSON.stringify(row.body),
      trace: row.trace && JSON.stringify(row.trace),
      sent_at: null,
    })
    .execute();
  announced.get(trx)?.push(row);
}

/**
 * Carries the outbox to JetStream. What a transaction announced is published right after its commit, from memory; what
 * was left behind, because a process died or NATS was away, is found in the table. An event may so be published twice: it
 * bears its id, and consumers handle an id once.
 */
export class Relay {
  readonly #loop: Loop;
  readonly #state: ConnectionState;
  readonly #publishing = new Set<Promise<void>>();
  /** True until what JetStream may have lost is on its way again: at start, and when NATS is back. */
  #mayHaveLost = true;
  #arrived: string[] = [];
  #marking: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Kysely<MessagingTables>,
    connection: NatsConnection,
    private readonly jetstream: JetStreamClient,
    /** Makes the streams where they are gone. */
    private readonly ensureStreams: () => Promise<unknown>,
    private readonly logger: Logger,
    private readonly tracing: Tracing,
  ) {
    this.#state = new ConnectionState(connection, () => {
      this.#mayHaveLost = true;
      this.#loop.nudge();
    });
    this.#loop = new Loop({ name: 'outbox', idleMs: 500, turn: () => this.#turn(), logger });
  }

  start(): void {
    this.#loop.start();
  }

  /** Publishes what is on its way, and stops. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#publishing);
    clearTimeout(this.#marking);
    await this.#mark();
  }

  /**
   * Runs `work` in a transaction, and publishes what it announced as soon as it has committed.
   * @throws what `work` or the commit throws; then nothing is published.
   */
  async transaction<Tables extends MessagingTables, T>(
    db: Kysely<Tables>,
    work: (trx: Transaction<Tables>) => Promise<T>,
  ): Promise<T> {
    const rows: Announcement[] = [];
    const result = await db.transaction().execute((trx) => {
      announced.set(trx, rows);
      return work(trx);
    });
    if (this.#state.connected) for (const row of rows) this.#send(row);
    return result;
  }

  #send(row: Announcement): void {
    const sending = this.#publish(row)
      .then(() => {
        this.#arrived.push(row.id);
        this.#marking ??= setTimeout(() => void this.#mark(), markPauseMs);
      })
      // Not lost: it stands in the outbox.
      .catch((error: unknown) => this.logger.warn({ err: error, subject: row.subject }, 'an event waits'))
      .finally(() => this.#publishing.delete(sending));
    this.#publishing.add(sending);
  }

  async #mark(): Promise<void> {
    this.#marking = undefined;
    const ids = this.#arrived;
    if (ids.length === 0) return;
    this.#arrived = [];
    await this.db
      .updateTable('outbox')
      .set({ sent_at: sql`now()` })
      .where('id', 'in', ids)
      .execute()
      // Unmarked, they are published again, which does no harm.
      .catch((error: unknown) => this.logger.warn({ err: error }, 'sent events could not be marked'));
  }

  async #turn(): Promise<TurnResult> {
    // While NATS is away a publication would only wait for its time-out, holding the rows' locks.
    if (!this.#state.connected) return 'idle';
    if (this.#mayHaveLost) await this.#sendLostAgain();
    if (!(await this.#left())) return 'idle';
    return this.db.transaction().execute(async (trx) => {
      const rows = await trx
        .selectFrom('outbox')
        .select(['position', 'id', 'subject', 'body', 'request_id', 'trace'])
        .where('sent_at', 'is', null)
        .where('created_at', '<', overdue)
        .orderBy('position')
        .limit(batchMax)
        .forUpdate()
        .skipLocked()
        .execute();
      const sent = await Promise.allSettled(rows.map((row) => this.#publish(row)));
      const arrived = rows
        .filter((_, index) => sent[index]?.status === 'fulfilled')
        .map((row) => row.position);
      if (arrived.length > 0) {
        await trx
          .updateTable('outbox')
          .set({ sent_at: sql`now()` })
          .where('position', 'in', arrived)
          .execute();
      }
      const failed = sent.find((outcome) => outcome.status === 'rejected');
      if (failed && arrived.length === 0) throw failed.reason;
      return rows.length === batchMax || failed ? 'more' : 'idle';
    });
  }

  /**
   * Takes back what is marked as sent, but so lately that JetStream may not have flushed it to disk. What it still has it takes
   * for a double, and consumers handle an id once. Whatever was lost of older announcements is found by the sweeps (ADR 0011).
   */
  async #sendLostAgain(): Promise<void> {
    await this.ensureStreams();
    await this.db
      .updateTable('outbox')
      .set({ sent_at: null })
      .where('sent_at', '>', sql<Date>`now() - make_interval(mins => ${unflushedMinutes})`)
      .execute();
    this.#mayHaveLost = false;
  }

  /** Whether anything was left behind; a look without a transaction, since mostly there is nothing. */
  async #left(): Promise<boolean> {
    const row = await this.db
      .selectFrom('outbox')
      .select('position')
      .where('sent_at', 'is', null)
      .where('created_at', '<', overdue)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async #publish(row: Announcement): Promise<void> {
    const template = row.subject.slice(0, row.subject.lastIndexOf('.'));
    await this.tracing.enter(
      newContext(publishTimeoutMs, row.request_id ?? undefined),
      row.trace,
      `publish ${template}`,
      {
        kind: SpanKind.PRODUCER,
        subject: subjectOf(row.body),
        attributes: {
          'messaging.system': 'nats',
          'messaging.operation.type': 'send',
          'messaging.destination.template': `${template}.{document}`,
          'messaging.message.id': row.id,
        },
      },
      async () => {
        const headers = natsHeaders();
        if (row.request_id) headers.set(header.requestId, row.request_id);
        // A process that records nothing hands on what another has begun.
        writeTrace(headers, currentCarrier() ?? row.trace);
        await this.jetstream.publish(row.subject, encode(row.body), {
          msgID: row.id,
          headers,
          timeout: publishTimeoutMs,
        });
      },
    );
  }
}

/**
 * Deletes what was announced or handled long ago. An announcement goes by the day that it was made, so that sending it again
 * does not keep it longer than what tells that it was handled; one that was never sent stays. What tells that a parked step was
 * handled after all stays as long as that step, which an operator may redrive.
 *
 * No statement looks at more than a batch, however much there is: a single one over a large table would exceed its time, and
 * from then on nothing would be purged any more.
 * @param signal ends it after the batch in hand.
 */
export async function purgeMessaging(db: Kysely<MessagingTables>, signal?: AbortSignal): Promise<void> {
  // Rows are nearly in the order of their making: what comes behind a batch without an old one is not old either.
  for (let after: number | null = 0; after !== null && !signal?.aborted; ) {
    after = await purgeAnnouncements(db, after);
  }
  while (!signal?.aborted && (await purgeHandled(db)) === purgedAtOnceMax);
}

/** @returns the position to go on from; null at the end of what is old. */
async function purgeAnnouncements(db: Kysely<MessagingTables>, after: number): Promise<number | null> {
  const { rows } = await sql<{ through: number | null }>`
    with batch as (
      select position, created_at from outbox
      where position > ${after} order by position limit ${purgedAtOnceMax}
    ), purged as (
      delete from outbox
      where position > ${after} and position <= (select max(position) from batch)
        and created_at < ${daysAgo(outboxKeptDays)} and sent_at is not null
    )
    select max(position) as through from batch having bool_or(created_at < ${daysAgo(outboxKeptDays)})
  `.execute(db);
  return rows[0]?.through ?? null;
}

/** @returns how many it has deleted. */
async function purgeHandled(db: Kysely<MessagingTables>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from inbox where (consumer, message_id) in (
      select consumer, message_id from inbox
      where handled_at < ${daysAgo(inboxKeptDays)} and not exists (
        select from dead_letter
        where dead_letter.consumer = inbox.consumer and dead_letter.message_id = inbox.message_id
      )
      order by handled_at limit ${purgedAtOnceMax}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

const daysAgo = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;
