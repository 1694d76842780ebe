import { Injectable } from '@nestjs/common';
import { dayInIsrael, heldUntil, nextDayInIsrael } from '@pinkas/domain';
import {
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Database,
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
import type { DeliveryConfig } from '../config.js';
import { sendConcurrencyMax } from '../mail/mailer.js';
import { type Attempt, beginAttempt, countForDay } from './attempt.repository.js';
import { claimDue, nextDueMessage, postpone } from './claim.repository.js';
import type { DeliveryChannel, DeliveryRow, DeliveryTables } from './delivery.tables.js';
import { MessageArtifacts, type MessagePdf } from './message-artifacts.js';
import { MessageBalances } from './message-balances.js';
import { MessageChannels } from './message-channels.js';
import { MessageLogos } from './message-logos.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { withdrawDocument } from './plan.repository.js';
import { suppressedReason } from './send-policy.js';
import { isSuppressed } from './suppression.repository.js';

/** How long a claim lasts before its send attempt begins: for fetching the PDF. */
const claimMs = 30_000;
/** How much longer than the send attempt a claim lasts, for storing its outcome. */
const claimMarginMs = 30_000;
/** When the PDF is fetched again while rendering cannot be asked: that is no attempt on the message. */
const fetchPauseMs = 5_000;

/** How often claims of processes that died are looked for. */
const expiredEveryMs = 1_000;

/** Rolls back an attempt for which the day of its business has no room. */
class DayFullError extends Error {}

/**
 * Sends the due messages once only, as far as the providers allow (docs/adr/0013-exactly-one-message.md): claim, fetch the
 * PDF, record the attempt, send, record the outcome. An attempt whose process dies has an unknown outcome.
 */
@Injectable()
export class MessageSender implements BackgroundTask {
  /** One for each channel: while one provider hangs, the messages of the other are sent. */
  readonly #workers: ReadonlyMap<DeliveryChannel, JobWorker<DeliveryRow>>;
  #expiredAtMs = Number.NEGATIVE_INFINITY;

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
        new JobWorker({
          name: `message-sender-${channel}`,
          concurrency: sendConcurrencyMax,
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

  async stop(): Promise<void> {
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
  async #process(row: DeliveryRow): Promise<void> {
    try {
      await this.#send(forTenant(this.db, row.business_id), row);
    } catch (error) {
      const fields = { delivery_id: row.id, document_id: row.document_id, err: error };
      // A lost connection passes; anything else somebody has to look at.
      this.logger[isTransientDatabaseError(error) ? 'warn' : 'error'](fields, 'message processing failed');
    }
  }

  async #send(db: Database<DeliveryTables>, row: DeliveryRow): Promise<void> {
    if (await this.#holdBack(db, row)) {
      return;
    }
    const artifact = await this.artifacts.fetch(row);
    if (artifact.kind === 'cancelled') {
      return this.#withdraw(db, row);
    }
    if (artifact.kind === 'unavailable') {
      const now = await databaseNow(db, this.clock);
      return postpone(db, row, new Date(now.getTime() + fetchPauseMs), row.not_before);
    }
    if (artifact.kind === 'failed') {
      return this.outcomes.record(row, null, { kind: 'temporary', reason: artifact.reason });
    }
    const [logo, balance] = await Promise.all([this.logos.fetch(row), this.balances.fetch(row)]);
    // While the PDF is fetched, quiet hours may begin and an operator may suppress the address.
    if (await this.#holdBack(db, row)) {
      return;
    }
    const attempt = await this.#beginAttempt(db, row, artifact.pdf);
    if (!attempt) {
      return;
    }
    const outcome = await this.channels.send(attempt.row, {
      pdf: artifact.pdf.bytes,
      allocation: attempt.allocation,
      logo,
      balance,
    });
    await this.outcomes.record(attempt.row, attempt.n, outcome);
  }

  /** Postpones or ends a message that must not be sent now. @returns whether it did. */
  async #holdBack(db: Database<DeliveryTables>, row: DeliveryRow): Promise<boolean> {
    const quietEnd = heldUntil(row.purpose, row.facts.business.quiet_hours, this.clock.now());
    if (quietEnd) {
      await postpone(db, row, quietEnd);
      return true;
    }
    const reason = await this.#unsendableReason(db, row);
    if (reason === null) {
      return false;
    }
    await this.outcomes.record(row, null, { kind: 'permanent', reason });
    return true;
  }

  async #unsendableReason(db: Database<DeliveryTables>, row: DeliveryRow): Promise<string | null> {
    if (await isSuppressed(db, row.business_id, row.channel, row.recipient)) {
      return suppressedReason;
    }
    return this.channels.unavailableReason(row);
  }

  /** Begins an attempt, unless the business has sent as many messages today as it may: the message then waits for the next day. */
  async #beginAttempt(
    db: Database<DeliveryTables>,
    row: DeliveryRow,
    pdf: MessagePdf,
  ): Promise<Attempt | undefined> {
    const now = await databaseNow(db, this.clock);
    const until = new Date(now.getTime() + this.channels.sendTimeoutMs(row.channel) + claimMarginMs);
    const limit = this.config.messagesPerBusinessAndDay;
    try {
      return await db.transaction().execute(async (trx) => {
        const attempt = await beginAttempt(trx, row, pdf, now, until);
        // A repeated attempt is of a message that is counted already.
        if (attempt?.n === 1 && !(await countForDay(trx, row.business_id, dayInIsrael(now), limit))) {
          throw new DayFullError();
        }
        return attempt;
      });
    } catch (error) {
      if (!(error instanceof DayFullError)) {
        throw error;
      }
      await postpone(db, row, nextDayInIsrael(now));
      const { business_id, document_id } = row;
      this.logger.warn(
        { business_id, document_id, delivery_id: row.id, limit },
        'message daily limit reached',
      );
      return undefined;
    }
  }

  async #withdraw(db: Database<DeliveryTables>, row: DeliveryRow): Promise<void> {
    const now = this.clock.now();
    await db.transaction().execute((trx) => withdrawDocument(trx, row, now));
    this.logger.info({ delivery_id: row.id, document_id: row.document_id }, 'message withdrawn');
  }
}
