import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { getArtifact, handOverArtifact, messageFailed, messageSent } from '@pinkas/contracts';
import {
  announce,
  type Background,
  type Clock,
  type Database,
  DueWorker,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  ofBusiness,
  ofEveryBusiness,
  Peers,
  Relay,
  Tracing,
  type Transaction,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import { writeLetter } from '../mail/letter.js';
import { Mailer, messagesAtOnceMax } from '../mail/mailer.js';
import { WhatsApp } from '../whatsapp/whatsapp.js';
import { normalAddress } from './address.js';
import { afterSend, type SendOutcome } from './after-send.js';
import {
  beginAttempt,
  claimDue,
  type DeliveryRow,
  endAttempt,
  isCancelled,
  lockDelivery,
  lockLapsed,
  postpone,
  storeSend,
  suppressedReason,
  withdraw,
} from './delivery.repository.js';
import type { DeliveryTables } from './delivery.tables.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { whatsappIsNotSetUp } from './delivery-plan.js';
import { heldUntil } from './quiet-hours.js';
import { isSuppressed, suppress } from './suppression.repository.js';

/** How long a claim lasts until the message is about to be handed over: for fetching the PDF. */
const claimMs = 30_000;
/** How much longer than the handing over a claim lasts, for storing its outcome. */
const claimMarginMs = 30_000;
const lapsedAtOnceMax = 20;

/**
 * Sends the messages that are due.
 *
 * Once only, as far as the providers allow (ADR 0013): a message is claimed, its PDF given out by rendering, which from then
 * on makes copies only, an attempt written down and the message marked as `sending`, and only then handed over. What a process
 * that died leaves in `sending` may or may not have been taken; it is sent once more under the same Message-ID, and if its
 * fate is unknown again, it has failed and an operator decides (see `afterSend`). What a document that was cancelled still
 * has here is withdrawn at whichever of these steps it is noticed.
 */
@Injectable()
export class SendMessages implements Background {
  /** One for each channel: while one provider hangs, the messages of the other leave. */
  readonly #workers: readonly DueWorker<DeliveryRow>[];

  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly peers: Peers,
    private readonly mailer: Mailer,
    private readonly whatsapp: WhatsApp,
    private readonly relay: Relay,
    private readonly metrics: DeliveryMetrics,
    tracing: Tracing,
  ) {
    const all = ofEveryBusiness(db);
    this.#workers = (['email', 'whatsapp'] as const).map(
      (channel) =>
        new DueWorker({
          name: `send-messages by ${channel}`,
          atOnceMax: messagesAtOnceMax,
          claimMs,
          clock,
          logger,
          tracing,
          claim: async (limit, now, until) => {
            await this.#settleLapsed(all);
            return claimDue(all, channel, limit, now, until);
          },
          carryOut: (row) => this.#send(row),
        }),
    );
  }

  start(): void {
    for (const worker of this.#workers) worker.start();
  }

  /** Says that a message may be due. */
  nudge(): void {
    for (const worker of this.#workers) worker.nudge();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    this.mailer.close();
  }

  /** Never rejects: what could not be stored is taken up again when the claim ends. */
  async #send(row: DeliveryRow): Promise<void> {
    try {
      const db = ofBusiness(this.db, row.business_id);
      if (await this.#isHeldBack(db, row)) return;
      const pdf = await this.#artifact(row);
      if (pdf === 'cancelled') return await this.#withdraw(row);
      if (!Buffer.isBuffer(pdf)) return await this.#store(row, null, pdf);
      // Fetching the PDF takes seconds, in which the quiet hours begin, or an operator suppresses the address.
      if (await this.#isHeldBack(db, row)) return;
      const attempt = await this.#beginAttempt(db, row);
      if (attempt) await this.#store(attempt.row, attempt.n, await this.#handOver(row, pdf));
    } catch (error) {
      this.logger.error(
        { delivery_id: row.id, document_id: row.document_id, err: error },
        'what became of a message could not be stored',
      );
    }
  }

  /** Whether a message must not leave now; then that is stored. */
  async #isHeldBack(db: Database<DeliveryTables>, row: DeliveryRow): Promise<boolean> {
    // A message that was held up must not leave in the quiet hours that have begun meanwhile.
    const quietEnd = heldUntil(row.purpose, row.facts.business.quiet_hours, this.clock.now());
    if (quietEnd) {
      await postpone(db, row, quietEnd);
      return true;
    }
    const refusal = await this.#refusal(db, row);
    if (refusal) await this.#store(row, null, refusal);
    return refusal !== undefined;
  }

  /** Why a message is not even tried, if so. */
  async #refusal(db: Database<DeliveryTables>, row: DeliveryRow): Promise<SendOutcome | undefined> {
    if (await isSuppressed(db, row.business_id, row.channel, row.recipient)) {
      return { kind: 'permanent', reason: suppressedReason };
    }
    return row.channel === 'whatsapp' && !this.whatsapp.isSetUp
      ? { kind: 'permanent', reason: whatsappIsNotSetUp }
      : undefined;
  }

  #handOver(row: DeliveryRow, pdf: Buffer): Promise<SendOutcome> {
    if (row.channel === 'whatsapp') return this.whatsapp.send(row);
    return this.mailer.send({
      letter: writeLetter(row.facts, row.purpose, this.config.viewUrlBase),
      pdf,
      messageId: row.message_id,
      fromName: row.facts.business.name,
      replyTo: row.facts.business.email,
      recipient: row.recipient,
    });
  }

  /** The final PDF, or why it is not sent or cannot be had now. What goes out by WhatsApp leads to it. */
  async #artifact(row: DeliveryRow): Promise<Buffer | 'cancelled' | SendOutcome> {
    try {
      const { business_id, document_id } = row;
      const contract = row.purpose === 'customer' ? handOverArtifact : getArtifact;
      const { pdf, sha256, cancelled } = await this.peers.ask(contract, { business_id, document_id });
      // Rendering may have heard of it earlier than we do.
      if (cancelled) return 'cancelled';
      const bytes = Buffer.from(pdf, 'base64');
      if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
      return { kind: 'temporary', reason: 'The PDF does not have the hash that it was stored with.' };
    } catch (error) {
      this.logger.warn({ delivery_id: row.id, err: error }, 'the PDF of a message could not be fetched');
      return { kind: 'temporary', reason: 'The PDF could not be fetched.' };
    }
  }

  async #beginAttempt(
    db: Database<DeliveryTables>,
    row: DeliveryRow,
  ): Promise<{ row: DeliveryRow; n: number } | undefined> {
    const now = this.clock.now();
    const { sendTimeoutMs } = row.channel === 'whatsapp' ? this.whatsapp : this.mailer;
    const until = new Date(now.getTime() + sendTimeoutMs + claimMarginMs);
    return db.transaction().execute((trx) => beginAttempt(trx, row, now, until));
  }

  async #withdraw(row: DeliveryRow): Promise<void> {
    const now = this.clock.now();
    await ofBusiness(this.db, row.business_id)
      .transaction()
      .execute((trx) => withdraw(trx, row, now));
    this.logger.info({ delivery_id: row.id, document_id: row.document_id }, 'a message was withdrawn');
  }

  async #settleLapsed(all: Database<DeliveryTables>): Promise<void> {
    const now = this.clock.now();
    await this.relay.transaction(all, async (trx) => {
      const rows = await lockLapsed(trx, lapsedAtOnceMax, now);
      for (const row of rows) {
        const reason = 'The process that was sending it ended; nobody knows whether it was taken.';
        const outcome = { kind: 'unknown', reason } as const;
        await endAttempt(trx, row, null, outcome, now);
        await this.#settle(trx, row, outcome, now);
      }
    });
  }

  /** @param n the number of the attempt; null where the message was not handed over. */
  async #store(row: DeliveryRow, n: number | null, outcome: SendOutcome): Promise<void> {
    const now = this.clock.now();
    await this.relay.transaction(ofBusiness(this.db, row.business_id), async (trx) => {
      const current = await lockDelivery(trx, row);
      if (n !== null) await endAttempt(trx, row, n, outcome, now);
      // Sent is sent, however late we learn of it. A failure counts only while nobody else has taken the message up.
      const ours = current.claimed_until?.getTime() === row.claimed_until?.getTime();
      if (outcome.kind === 'accepted' ? current.state === 'sent' : !ours) return;
      await this.#settle(trx, current, outcome, now);
    });
  }

  async #settle(
    trx: Transaction<DeliveryTables>,
    row: DeliveryRow,
    outcome: SendOutcome,
    now: Date,
  ): Promise<void> {
    const after = afterSend({ ...row, cancelled: await isCancelled(trx, row) }, outcome, now);
    await storeSend(trx, row, after, now);
    if (outcome.kind === 'permanent' && outcome.fault === 'address') {
      await suppress(trx, {
        business_id: row.business_id,
        channel: row.channel,
        address: normalAddress(row.channel, row.recipient),
        reason: 'bounced',
        words: outcome.reason,
        since: now,
      });
    }
    const step = {
      document_id: row.document_id,
      business_id: row.business_id,
      delivery_id: row.id,
      channel: row.channel,
      purpose: row.purpose,
    };
    if (after.state === 'sent') await announce(trx, messageSent, row.document_id, step);
    if (after.state === 'failed') {
      await announce(trx, messageFailed, row.document_id, { ...step, reason: after.lastError ?? '' });
    }
    // The provider's words may name the recipient: they stay in the table.
    this.metrics.tried(row.channel, after.state === 'ready' ? outcome.kind : after.state);
    const line = {
      delivery_id: row.id,
      document_id: row.document_id,
      channel: row.channel,
      attempts: after.attempts,
    };
    if (after.state === 'sent') this.logger.info(line, 'a message was sent');
    else this.logger.warn({ ...line, outcome: outcome.kind, state: after.state }, 'a message was not taken');
    if (outcome.kind !== 'accepted' && outcome.fault === 'access') {
      // Every message meets it until somebody mends it.
      this.logger.error(
        line,
        'the provider does not let us in: look at the login or token, and at our account there',
      );
    }
  }
}
