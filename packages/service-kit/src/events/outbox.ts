import { randomUUID } from 'node:crypto';
import { compile, type EventContract, type EventOf, eventSubject } from '@pinkas/contracts';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type JetStreamClient, type NatsConnection, headers as natsHeaders } from 'nats';
import { currentContext } from '../context.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Logger } from '../logger.js';
import { Loop, type TurnResult } from '../loop.js';
import { encode, header } from '../rpc/wire.js';

const batchMax = 64;
const publishTimeoutMs = 2_000;
const keptDays = 7;
const checks = new Map<string, ReturnType<typeof compile>>();

/**
 * Announces a fact in the transaction that makes it true: it is published if, and only if, the transaction commits.
 * After the commit, nudge the `Relay`.
 */
export async function announce<E extends EventContract, Tables extends MessagingTables>(
  trx: Transaction<Tables>,
  event: E,
  documentId: string,
  body: EventOf<E>,
): Promise<void> {
  const check = checks.get(event.subject) ?? compile(event.body);
  checks.set(event.subject, check);
  const checked = check(body);
  if (!checked.ok)
    throw new Error(`${event.subject} does not match its schema: ${JSON.stringify(checked.faults)}`);
  await (trx as unknown as Transaction<MessagingTables>)
    .insertInto('outbox')
    .values({
      id: randomUUID(),
      subject: eventSubject(event, documentId),
      body: JSON.stringify(body),
      request_id: currentContext()?.requestId ?? null,
      sent_at: null,
    })
    .execute();
}

/** Carries what the outbox holds to JetStream, in order, and marks what has arrived there. */
export class Relay {
  readonly #loop: Loop;

  constructor(
    private readonly db: Kysely<MessagingTables>,
    private readonly connection: NatsConnection,
    private readonly jetstream: JetStreamClient,
    logger: Logger,
  ) {
    this.#loop = new Loop({ name: 'outbox', idleMs: 500, turn: () => this.#turn(), logger });
  }

  start(): void {
    this.#loop.start();
  }

  /** Says that a transaction with an announcement has committed. */
  nudge(): void {
    this.#loop.nudge();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #turn(): Promise<TurnResult> {
    // While NATS is away a publication would only wait for its time-out, holding the rows' locks.
    if (this.connection.isClosed() || !(await this.#connected())) return 'idle';
    return this.db.transaction().execute(async (trx) => {
      const rows = await trx
        .selectFrom('outbox')
        .select(['position', 'id', 'subject', 'body', 'request_id'])
        .where('sent_at', 'is', null)
        .orderBy('position')
        .limit(batchMax)
        .forUpdate()
        .skipLocked()
        .execute();
      if (rows.length === 0) return 'idle';
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

  async #connected(): Promise<boolean> {
    return this.connection.flush().then(
      () => true,
      () => false,
    );
  }

  async #publish(row: {
    id: string;
    subject: string;
    body: unknown;
    request_id: string | null;
  }): Promise<void> {
    const headers = natsHeaders();
    if (row.request_id) headers.set(header.requestId, row.request_id);
    // The body is a json column: pg has parsed it.
    await this.jetstream.publish(row.subject, encode(row.body), {
      msgID: row.id,
      headers,
      timeout: publishTimeoutMs,
    });
  }
}

/** Deletes what was sent or handled long ago. */
export async function purgeMessaging(db: Kysely<MessagingTables>): Promise<void> {
  const limit = sql<Date>`now() - make_interval(days => ${keptDays})`;
  await db.deleteFrom('outbox').where('sent_at', '<', limit).execute();
  await db.deleteFrom('inbox').where('handled_at', '<', limit).execute();
}
