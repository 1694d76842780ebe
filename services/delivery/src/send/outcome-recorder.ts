import { setTimeout as pass } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  type MessageKind,
  messageEventDue,
  messageFailed,
  messageKind,
  messageSent,
} from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  isTransientDatabaseError,
  type Logger,
  makeEvent,
  type OutboxEvent,
  OutboxRelay,
  type OutboxTransaction,
  type Transaction,
  timeOrderedId,
} from '@pinkas/service-kit';
import type { DeliveryRow, DeliveryTables } from '../db/delivery.tables.js';
import { isUnknown, refusedDomains } from '../mail/refusal-evidence.js';
import {
  acceptsOutcome,
  type SendOutcome,
  type SendTransition,
  sendTransition,
} from '../message/send-policy.js';
import { type DocumentState, lockDocument, lockMessageOf } from '../plan/document.repository.js';
import { insertFollowUps } from '../plan/follow-up.repository.js';
import { maskAddress, normaliseAddress } from '../suppression/address.js';
import { MailServerAnswers } from '../suppression/mail-server-answers.js';
import { firstRefusal } from '../suppression/refusal.repository.js';
import { suppress } from '../suppression/suppression.repository.js';
import { type Attempt, endAttempt, storeOutcome, type Undisturbed } from './attempt.repository.js';
import { expiredClaims, lockExpiredClaim } from './claim.repository.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { messageStatus } from './message-status.js';
import { recordReminder } from './reminder.repository.js';

const expiredClaimsMax = 20;

/** How often, and how long, the outcome of an attempt is stored again: its claim lasts for longer. */
const again = { everyMs: 1_000, forMs: 20_000 };

/** The attempt that has an outcome. */
type SentAttempt = Pick<Attempt, 'n' | 'revision'>;

/** For the log: the answer may be about our sender, relay or access. */
const relayDeniedLog = 'mail server refuses us';
const accessDeniedLog = { email: 'smtp authentication failed', whatsapp: 'whatsapp access denied' } as const;

/** Records the outcomes of send attempts. */
@Injectable()
export class OutcomeRecorder {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly relay: OutboxRelay,
    private readonly metrics: DeliveryMetrics,
    private readonly answers: MailServerAnswers,
  ) {}

  /**
   * While the database is away it is tried again: an outcome that is lost makes its message leave once more.
   * @param attempt null where nothing was sent.
   */
  async record(row: DeliveryRow, attempt: SentAttempt | null, outcome: SendOutcome): Promise<void> {
    const lastMs = performance.now() + again.forMs;
    while (!(await this.#isRecorded(row, attempt, outcome, performance.now() > lastMs))) {
      await pass(again.everyMs);
    }
  }

  /** @throws what the database does, unless the outcome of an attempt can be stored again. */
  async #isRecorded(
    row: DeliveryRow,
    attempt: SentAttempt | null,
    outcome: SendOutcome,
    isLast: boolean,
  ): Promise<boolean> {
    try {
      await this.#record(row, attempt, outcome);
      return true;
    } catch (error) {
      if (attempt === null || isLast || !isTransientDatabaseError(error)) {
        throw error;
      }
      const { id, document_id } = row;
      this.logger.warn({ delivery_id: id, document_id, err: error }, 'message outcome not stored yet');
      return false;
    }
  }

  async #record(row: DeliveryRow, attempt: SentAttempt | null, given: SendOutcome): Promise<void> {
    const now = this.clock.now();
    const db = forTenant(this.db, row.business_id);
    const outcome = await this.#judge(db, row, given, now);
    if (attempt !== null && outcome.kind === 'accepted' && row.reminder === null) {
      const open = { cancelled: false };
      const undisturbed = { claimedUntil: row.claimed_until, revision: attempt.revision };
      const ended = { n: attempt.n, undisturbed };
      // An accepted message is sent, whatever has become of its document, and nothing follows it unless a later PDF is final.
      if (await this.relay.statement(db, (alone) => this.#apply(alone, row, open, ended, outcome, now))) {
        return;
      }
    }
    await this.relay.transaction(db, async (trx) => {
      const { document, current } = await lockMessageOf(trx, row);
      if (acceptsOutcome(row, current, outcome)) {
        const ended = { n: attempt?.n ?? null, undisturbed: null };
        await this.#apply(trx, current, document, ended, outcome, now);
      } else if (attempt !== null) {
        await endAttempt(trx, row, attempt.n, outcome, now);
      }
      // The number may have come during the attempt.
      await insertFollowUps(trx, row, document, now);
    });
  }

  /**
   * Gives the attempts whose process died an unknown outcome.
   * @param all the rows of every tenant.
   * @param before the claims that expired before this instant of the database's clock.
   */
  async recordExpired(all: Database<DeliveryTables>, before: Date): Promise<void> {
    const now = this.clock.now();
    const reason = 'The sending process ended; whether the message was accepted is unknown.';
    const outcome = { kind: 'unknown', reason } as const;
    for (const key of await expiredClaims(all, expiredClaimsMax, before)) {
      await this.relay.transaction(forTenant(this.db, key.business_id), async (trx) => {
        const document = await lockDocument(trx, key);
        const row = await lockExpiredClaim(trx, key, before);
        if (row) {
          await this.#apply(trx, row, document, { n: null, undisturbed: null }, outcome, now);
          await insertFollowUps(trx, row, document, now);
        }
      });
    }
  }

  /**
   * A mail server that refuses us may answer as for an unknown mailbox: until there is evidence about the address the message waits and
   * is repeated.
   */
  async #judge(
    db: Database<DeliveryTables>,
    row: DeliveryRow,
    outcome: SendOutcome,
    now: Date,
  ): Promise<SendOutcome> {
    if (outcome.kind !== 'permanent' || outcome.failure !== 'unknown_address' || !outcome.server) {
      return outcome;
    }
    const address = row.recipient.toLowerCase();
    const [firstRefusedAt, { taken, refused }] = await Promise.all([
      firstRefusal(db, row),
      this.answers.read(),
    ]);
    const answers = { taken, refused: [{ address, at: now, concernsUs: false }, ...refused] };
    const domains = refusedDomains(answers);
    if (domains > 0) {
      const { id, document_id } = row;
      this.logger.error({ delivery_id: id, document_id, domains }, relayDeniedLog);
    }
    return isUnknown(address, firstRefusedAt, answers) ? outcome : { ...outcome, kind: 'temporary' };
  }

  /** @returns whether it was stored. */
  async #apply(
    trx: OutboxTransaction<DeliveryTables>,
    row: DeliveryRow,
    { cancelled }: Pick<DocumentState, 'cancelled'>,
    { n, undisturbed }: { n: number | null; undisturbed: Undisturbed | null },
    outcome: SendOutcome,
    now: Date,
  ): Promise<boolean> {
    const { reminder } = row;
    const transition = sendTransition({ ...row, cancelled: cancelled && reminder === null }, outcome, now);
    const events = eventsOf(trx, row, transition, now);
    if (!(await storeOutcome(trx, row, n, outcome, { transition, events, now }, undisturbed))) {
      return false;
    }
    if (reminder !== null) {
      const leftAt = outcome.kind === 'accepted' || outcome.kind === 'unknown' ? now : null;
      await recordReminder(trx, row, reminder, { leftAt, hasEnded: transition.state !== 'ready' });
    }
    await suppressUnknownAddress(trx, row, outcome, now);
    this.metrics.countAttempt(row.channel, transition.state === 'ready' ? outcome.kind : transition.state);
    this.#log(row, outcome, transition);
    return true;
  }

  /** The provider's text may name the recipient: it stays in the table. */
  #log(row: DeliveryRow, outcome: SendOutcome, { state, attempts }: SendTransition): void {
    const { id, document_id, channel } = row;
    const fields = { delivery_id: id, document_id, channel, attempts };
    if (state === 'sent') {
      this.logger.info(fields, 'message sent');
    } else {
      this.logger.warn({ ...fields, outcome: outcome.kind, state }, 'message attempt failed');
    }
    // Every message fails until an operator corrects the credentials or the account, or the mail server.
    if (outcome.kind !== 'accepted' && outcome.failure === 'access_denied') {
      this.logger.error(fields, accessDeniedLog[channel]);
    } else if (outcome.kind !== 'accepted' && outcome.failure === 'relay_denied') {
      this.logger.error(fields, relayDeniedLog);
    }
  }
}

async function suppressUnknownAddress(
  trx: Transaction<DeliveryTables>,
  row: DeliveryRow,
  outcome: SendOutcome,
  now: Date,
): Promise<void> {
  if (outcome.kind !== 'permanent' || outcome.failure !== 'unknown_address') {
    return;
  }
  await suppress(trx, {
    business_id: row.business_id,
    channel: row.channel,
    address: normaliseAddress(row.channel, row.recipient),
    reason: 'bounced',
    detail: outcome.reason,
    since: now,
    confirmed: true,
  });
}

function eventsOf(
  trx: OutboxTransaction<DeliveryTables>,
  row: DeliveryRow,
  { state, attempts, lastError }: SendTransition,
  now: Date,
): OutboxEvent[] {
  const event = {
    document_id: row.document_id,
    business_id: row.business_id,
    delivery_id: row.id,
    channel: row.channel,
    purpose: row.purpose,
    follow_up: row.follows !== null,
  };
  switch (state) {
    case 'sent':
      return [
        makeEvent(trx, messageSent, row.document_id, event),
        ...eventForCallers(trx, row, { attempts, reason: null, now }),
      ];
    case 'failed': {
      const reason = lastError ?? '';
      return [
        makeEvent(trx, messageFailed, row.document_id, { ...event, reason }),
        ...eventForCallers(trx, row, { attempts, reason, now }),
      ];
    }
    default:
      return [];
  }
}

/** What callers know each kind of message as; null: it is no event for them. */
const namesForCallers: Readonly<Record<MessageKind, 'delivery' | 'reminder' | null>> = {
  planned: 'delivery',
  requested: 'delivery',
  number: 'delivery',
  report_cancelled: 'delivery',
  not_deductible: 'delivery',
  reminder: 'reminder',
  statement: null,
};

function eventForCallers(
  trx: OutboxTransaction<DeliveryTables>,
  row: DeliveryRow,
  { attempts, reason, now }: { attempts: number; reason: string | null; now: Date },
): OutboxEvent[] {
  const { facts, business_id, document_id, channel, purpose, recipient } = row;
  const name = namesForCallers[messageKind(messageStatus(row))];
  if (!facts.events || name === null) {
    return [];
  }
  return [
    makeEvent(trx, messageEventDue, document_id, {
      business_id,
      event_id: timeOrderedId(),
      occurred_at: now.toISOString(),
      type: `${name}.${reason === null ? 'sent' : 'failed'}`,
      document_id,
      delivery: {
        channel,
        purpose,
        recipient: maskAddress(recipient),
        attempt: attempts,
        // The provider's words may name the recipient.
        reason: reason === null ? null : reason.replaceAll(recipient, maskAddress(recipient)),
      },
    }),
  ];
}
