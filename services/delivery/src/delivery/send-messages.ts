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
  type Transaction,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import { writeLetter } from '../mail/letter.js';
import { Mailer, messagesAtOnceMax } from '../mail/mailer.js';
import { afterSend, type SendOutcome } from './after-send.js';
import {
  claimDue,
  type DeliveryRow,
  isCancelled,
  lockDelivery,
  lockLapsed,
  markSending,
  postpone,
  storeSend,
  withdraw,
} from './delivery.repository.js';
import type { DeliveryTables } from './delivery.tables.js';
import { quietUntil } from './quiet-hours.js';

/** How long a claim lasts until the message is about to be handed over: for fetching the PDF. */
const claimMs = 30_000;
/** How much longer than the handing over a claim lasts, for storing its outcome. */
const claimMarginMs = 30_000;
const lapsedAtOnceMax = 20;

/**
 * Sends the messages that are due.
 *
 * Once only, as far as mail allows: a message is claimed, its PDF given out by rendering, which from then on makes copies
 * only, the message marked as `sending`, and only then handed over. What a process
 * that died leaves in `sending` may or may not have been taken; it is sent once more under the same Message-ID, and if its
 * fate is unknown again, it has failed and an operator decides (see `afterSend`). What a document that was cancelled still
 * has here is withdrawn at whichever of these steps it is noticed.
 */
@Injectable()
export class SendMessages implements Background {
  readonly #worker: DueWorker<DeliveryRow>;

  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly peers: Peers,
    private readonly mailer: Mailer,
    private readonly relay: Relay,
  ) {
    const all = ofEveryBusiness(db);
    this.#worker = new DueWorker({
      name: 'send-messages',
      atOnceMax: messagesAtOnceMax,
      claimMs,
      clock,
      logger,
      claim: async (limit, now, until) => {
        await this.#settleLapsed(all);
        return claimDue(all, limit, now, until);
      },
      carryOut: (row) => this.#send(row),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** Says that a message may be due. */
  nudge(): void {
    this.#worker.nudge();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    this.mailer.close();
  }

  /** Never rejects: what could not be stored is taken up again when the claim ends. */
  async #send(row: DeliveryRow): Promise<void> {
    try {
      const quietEnd = this.#quietEnd(row);
      if (quietEnd) return await postpone(ofBusiness(this.db, row.business_id), row, quietEnd);
      const pdf = await this.#artifact(row);
      if (pdf === 'cancelled') return await this.#withdraw(row);
      if (!Buffer.isBuffer(pdf)) return await this.#store(row, pdf);
      const sending = await this.#markSending(row);
      if (!sending) return;
      const letter = writeLetter(row.facts, row.purpose, this.config.viewUrlBase);
      const outcome = await this.mailer.send({
        letter,
        pdf,
        messageId: row.message_id,
        fromName: row.facts.business.name,
        replyTo: row.facts.business.email,
        recipient: row.recipient,
      });
      await this.#store(sending, outcome);
    } catch (error) {
      this.logger.error(
        { delivery_id: row.id, document_id: row.document_id, err: error },
        'what became of a message could not be stored',
      );
    }
  }

  /** A message that was held up must not leave in the quiet hours that have begun meanwhile. */
  #quietEnd(row: DeliveryRow): Date | null {
    const { quiet_hours: quietHours } = row.facts.business;
    return row.purpose === 'customer' && quietHours !== null
      ? quietUntil(quietHours, this.clock.now())
      : null;
  }

  /** The final PDF, or why it is not sent or cannot be had now. */
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

  async #markSending(row: DeliveryRow): Promise<DeliveryRow | undefined> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + this.mailer.sendTimeoutMs + claimMarginMs);
    return ofBusiness(this.db, row.business_id)
      .transaction()
      .execute((trx) => markSending(trx, row, now, until));
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
        await this.#settle(trx, row, { kind: 'unknown', reason }, now);
      }
    });
  }

  async #store(row: DeliveryRow, outcome: SendOutcome): Promise<void> {
    const now = this.clock.now();
    await this.relay.transaction(ofBusiness(this.db, row.business_id), async (trx) => {
      const current = await lockDelivery(trx, row);
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
    const line = { delivery_id: row.id, document_id: row.document_id, attempts: after.attempts };
    if (after.state === 'sent') this.logger.info(line, 'a message was sent');
    else this.logger.warn({ ...line, outcome: outcome.kind, state: after.state }, 'a message was not taken');
  }
}
