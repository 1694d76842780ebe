import { Injectable } from '@nestjs/common';
import { dayInIsrael, heldUntil, nextDayInIsrael } from '@pinkas/domain';
import {
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Database,
  databaseClock,
  databaseNow,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  isTransientDatabaseError,
  JobWorker,
  type Logger,
  Tracing,
} from '@pinkas/service-kit';
import { Semaphore } from '@pinkas/service-kit/concurrency';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryChannel, DeliveryRow, DeliveryTables } from '../db/delivery.tables.js';
import { sendConcurrencyMax } from '../mail/mailer.js';
import { suppressedReason } from '../message/send-policy.js';
import { withdrawDocument } from '../plan/plan.repository.js';
import { isSuppressed } from '../suppression/suppression.repository.js';
import { type Attempt, beginAttempt, beginAttemptLocked } from './attempt.repository.js';
import { claimDue, nextDueMessage, postpone, releaseClaim } from './claim.repository.js';
import { MessageArtifacts, type MessagePdf } from './message-artifacts.js';
import { askedFor, MessageBalances, type RemindedDebts } from './message-balances.js';
import { MessageChannels } from './message-channels.js';
import { MessageLogos } from './message-logos.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { withdrawSettled } from './reminder.repository.js';
import { findStatementFile } from './statement-file.repository.js';

/** Messages of a channel in flight: as many as are sent at once, and as many whose PDF is fetched. */
const inFlightMax = 2 * sendConcurrencyMax;
/** How long a claim lasts before its send attempt begins: for fetching the PDF. */
const claimMs = 30_000;
/** How much longer than the send attempt a claim lasts, for storing its outcome. */
const claimMarginMs = 30_000;
/** When what a message needs is fetched again while its owner cannot be asked: that is no attempt on the message. */
const fetchPauseMs = 5_000;

/** How often claims of processes that died are looked for. */
const expiredEveryMs = 1_000;

/** A message that this process has claimed. */
type ClaimedMessage = DeliveryRow & {
  /** It was stored an instant ago: what it was planned by has not changed. */
  readonly isNew?: true;
  /** ILS: what is left to pay, where its document was issued an instant ago; null: nothing is asked for. */
  readonly balance?: number | null | undefined;
};

/** Why a message is not sent now: until an instant, or never. */
type HeldBack = { readonly until: Date } | { readonly reason: string };

/**
 * Sends the due messages once only, as far as the providers allow (docs/adr/0013-exactly-one-message.md): claim, fetch the
 * PDF, record the attempt, send, record the outcome. An attempt whose process dies has an unknown outcome.
 */
@Injectable()
export class MessageSender implements BackgroundTask {
  /** One for each channel: while one provider hangs, the messages of the other are sent. */
  readonly #workers: ReadonlyMap<DeliveryChannel, JobWorker<ClaimedMessage>>;
  /** As many messages of a channel as are sent at once; no more wait than are in flight. */
  readonly #connections = new Map<DeliveryChannel, Semaphore>(
    (['email', 'whatsapp'] as const).map((channel) => [
      channel,
      new Semaphore(sendConcurrencyMax, Number.MAX_SAFE_INTEGER),
    ]),
  );
  #expiredAtMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'messagesPerBusinessAndDay'>,
    @InjectLogger() private readonly logger: Logger,
    private readonly artifacts: MessageArtifacts,
    private readonly logos: MessageLogos,
    private readonly balances: MessageBalances,
    private readonly channels: MessageChannels,
    private readonly outcomes: OutcomeRecorder,
    tracing: Tracing,
  ) {
    const all = acrossTenants(db);
    this.#workers = new Map(
      (['email', 'whatsapp'] as const).map((channel) => [
        channel,
        new JobWorker<ClaimedMessage>({
          name: `message-sender-${channel}`,
          concurrency: inFlightMax,
          claimMs,
          logger,
          tracing,
          nextDue: () => nextDueMessage(all, channel, clock),
          claim: async (limit, now, until) => {
            await this.#recordExpired(all, now);
            return claimDue(all, channel, limit, now, until);
          },
          run: (row) => this.#process(row),
        }),
      ]),
    );
  }

  start(): void {
    for (const worker of this.#workers.values()) {
      worker.start();
    }
  }

  /** Looks for due messages now; of a channel that is not configured within five seconds. */
  trigger(): void {
    for (const [channel, worker] of this.#workers) {
      if (this.channels.isConfigured(channel)) {
        worker.trigger();
      }
    }
  }

  /** How long a message that is due at once may be claimed by the process that stores it; null: not at all, the worker has no room. */
  claimMsOf(channel: DeliveryChannel): number | null {
    return this.#workers.get(channel)?.hasRoom && this.channels.isConfigured(channel) ? claimMs : null;
  }

  /** Sends messages that were stored as claimed an instant ago. */
  sendNew(rows: readonly DeliveryRow[], balance: ClaimedMessage['balance']): void {
    for (const row of rows) {
      if (!this.#workers.get(row.channel)?.execute({ ...row, isNew: true, balance })) {
        const db = forTenant(this.db, row.business_id);
        // Else the claim expires.
        releaseClaim(db, row).catch((error: unknown) =>
          this.logger.warn({ delivery_id: row.id, err: error }, 'message claim release failed'),
        );
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
    this.channels.close();
  }

  async #recordExpired(all: Database<DeliveryTables>, now: Date): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#expiredAtMs >= expiredEveryMs) {
      this.#expiredAtMs = nowMs;
      await this.outcomes.recordExpired(all, now);
    }
  }

  /** Never rejects: what could not be stored is processed again when the claim expires. */
  async #process(row: ClaimedMessage): Promise<void> {
    try {
      await this.#send(forTenant(this.db, row.business_id), row);
    } catch (error) {
      const fields = { delivery_id: row.id, document_id: row.document_id, err: error };
      // A lost connection passes; anything else somebody has to look at.
      this.logger[isTransientDatabaseError(error) ? 'warn' : 'error'](fields, 'message processing failed');
    }
  }

  async #send(db: Database<DeliveryTables>, row: ClaimedMessage): Promise<void> {
    if (!row.isNew) {
      const held = this.#heldBack(row, await isSuppressed(db, row.business_id, row.channel, row.recipient));
      if (held) {
        return this.#holdBack(db, row, held);
      }
    }
    const artifact = await this.artifacts.fetch(row);
    if (artifact.kind === 'cancelled') {
      return this.#withdraw(db, row);
    }
    if (artifact.kind === 'unavailable') {
      return this.#postponeFetch(db, row);
    }
    if (artifact.kind === 'failed') {
      return this.outcomes.record(row, null, { kind: 'temporary', reason: artifact.reason });
    }
    const [logo, balance, statement] = await Promise.all([
      this.logos.fetch(row),
      row.balance === undefined ? this.balances.fetch(row) : row.balance,
      row.reminder?.statement ? findStatementFile(db, row) : null,
    ]);
    // An attempt that has begun must not wait for a connection: if the process dies, its outcome is unknown.
    await this.#connections.get(row.channel)?.run(new AbortController().signal, async () => {
      if (this.#stopped) {
        // Its process may be killed before the provider answers; another replica has the time.
        return releaseClaim(db, row);
      }
      // Not before: what a reminder is about may be paid while it waits for a connection.
      const open = await this.#openDebts(db, row);
      if (!open) {
        return;
      }
      const attempt = await this.#beginAttempt(db, row, artifact.pdf);
      if (!attempt) {
        return;
      }
      const { allocation } = attempt;
      const content = { pdf: statement ?? artifact.pdf.bytes, allocation, logo, balance, ...open };
      await this.outcomes.record(attempt.row, attempt, await this.channels.send(attempt.row, content));
    });
  }

  /** What is left to pay of what a reminder is about; undefined where it must not be sent now. */
  async #openDebts(db: Database<DeliveryTables>, row: ClaimedMessage): Promise<RemindedDebts | undefined> {
    const open = await this.balances.fetchOpen(row);
    if (open === undefined) {
      await this.#postponeFetch(db, row);
    } else if (row.reminder !== null && !row.reminder.statement && askedFor(open) <= 0n) {
      await withdrawSettled(db, row, row.reminder, this.clock.now());
      this.logger.info({ delivery_id: row.id, document_id: row.document_id }, 'reminder withdrawn');
      return undefined;
    }
    return open;
  }

  async #postponeFetch(db: Database<DeliveryTables>, row: ClaimedMessage): Promise<void> {
    const now = await databaseNow(db, this.clock);
    await postpone(db, row, new Date(now.getTime() + fetchPauseMs), row.not_before);
  }

  /** What holds a message back now; null: nothing does. */
  #heldBack(row: DeliveryRow, suppressed: boolean): HeldBack | null {
    const until = heldUntil(row.purpose, row.facts.business.quiet_hours, this.clock.now());
    if (until) {
      return { until };
    }
    const reason = suppressed ? suppressedReason : this.channels.unavailableReason(row);
    return reason === null ? null : { reason };
  }

  async #holdBack(db: Database<DeliveryTables>, row: DeliveryRow, held: HeldBack): Promise<void> {
    if ('until' in held) {
      await postpone(db, row, held.until);
    } else {
      await this.outcomes.record(row, null, { kind: 'permanent', reason: held.reason });
    }
  }

  /**
   * Begins an attempt, unless something holds it back now: while the PDF was fetched, quiet hours may have begun and an operator
   * may have suppressed the address. Where the business has sent as many messages today as it may, it waits for the next day.
   */
  async #beginAttempt(
    db: Database<DeliveryTables>,
    row: DeliveryRow,
    pdf: MessagePdf,
  ): Promise<Attempt | undefined> {
    const held = this.#heldBack(row, false);
    if (held) {
      await this.#holdBack(db, row, held);
      return undefined;
    }
    const now = this.clock.now();
    const limit = this.config.messagesPerBusinessAndDay;
    const parts = {
      pdf,
      now: databaseClock(this.clock),
      until: databaseClock(this.clock, this.channels.sendTimeoutMs(row.channel) + claimMarginMs),
      day: dayInIsrael(now),
      limit,
    };
    const begun =
      (await beginAttempt(db, row, parts)) ??
      (await db.transaction().execute((trx) => beginAttemptLocked(trx, row, parts, now)));
    if (begun !== 'day_full') {
      return begun;
    }
    await postpone(db, row, nextDayInIsrael(now));
    const { business_id, document_id } = row;
    this.logger.warn({ business_id, document_id, delivery_id: row.id, limit }, 'message daily limit reached');
    return undefined;
  }

  async #withdraw(db: Database<DeliveryTables>, row: DeliveryRow): Promise<void> {
    const now = this.clock.now();
    await db.transaction().execute((trx) => withdrawDocument(trx, row, now));
    this.logger.info({ delivery_id: row.id, document_id: row.document_id }, 'message withdrawn');
  }
}
