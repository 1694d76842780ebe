import { type ReplyOf, type RequestOf, sendMessage } from '@pinkas/contracts';
import { heldUntil } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
  type Transaction,
} from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import type { DeliveryConfig } from '../config.js';
import { parseRecipient } from './address.js';
import type { DeliveryFacts, DeliveryRow, DeliveryTables, PlanTable } from './delivery.tables.js';
import { lockDocument, progressOf, readDocument } from './document.repository.js';
import { IssuedFacts } from './issued-facts.js';
import { MessageChannels } from './message-channels.js';
import { messageIdDomain } from './message-id-domain.js';
import { MessageSender } from './message-sender.js';
import { messageStatus } from './message-status.js';
import { findPlan } from './operator.repository.js';
import { findFacts, findMessage, insertRequested } from './requested-message.repository.js';
import { isSuppressed } from './suppression.repository.js';

type Request = RequestOf<typeof sendMessage>;

const noAddress = {
  email: 'is no mail address',
  whatsapp: 'is no mobile number that WhatsApp takes',
} as const;
const invalid = (path: string, message: string) => ApiError.invalid([{ path, message }]);

/** Makes a message that a person asks for. It is sent by the same worker, and by the same rules, as those that were planned at issue. */
@Operation(sendMessage)
export class SendMessage {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'mailFrom'>,
    private readonly facts: IssuedFacts,
    private readonly channels: MessageChannels,
    private readonly sender: MessageSender,
  ) {}

  async handle(request: Request): Promise<ReplyOf<typeof sendMessage>> {
    const recipient = parseRecipient(request.channel, request.recipient);
    if (recipient === null) {
      throw invalid('/recipient', noAddress[request.channel]);
    }
    const db = forTenant(this.db, request.business_id);
    const plan = await findPlan(db, request.document_id);
    if (!plan) {
      throw new ApiError('not_found');
    }
    // Fetched before the transaction, which holds a lock.
    const facts = (await findFacts(db, plan)) ?? (await this.facts.fetch(plan));
    const row = await db
      .transaction()
      .execute((trx) => this.#store(trx, plan, { ...request, recipient }, facts));
    if (row.state === 'ready') {
      this.sender.trigger();
    }
    return messageStatus(row);
  }

  async #store(
    trx: Transaction<DeliveryTables>,
    plan: Selectable<PlanTable>,
    request: Request,
    facts: DeliveryFacts,
  ): Promise<DeliveryRow> {
    const { channel, recipient } = request;
    // As PostgreSQL writes it: the Message-ID contains it.
    const id = request.delivery_id.toLowerCase();
    await lockDocument(trx, plan);
    const known = await findMessage(trx, { business_id: plan.business_id, id });
    if (known) {
      return sameMessage(known, plan, request);
    }
    const unavailable = this.channels.unavailableReason({ business_id: plan.business_id, channel });
    if (unavailable !== null) {
      throw invalid('/channel', unavailable);
    }
    if (await isSuppressed(trx, plan.business_id, channel, recipient)) {
      throw invalid(
        '/recipient',
        'is suppressed: it gets no messages of this business until it is allowed again',
      );
    }
    const now = this.clock.now();
    const notBefore = heldUntil('customer', facts.business.quiet_hours, now);
    const row = await insertRequested(
      trx,
      plan,
      { id, channel, purpose: 'customer', recipient, notBefore },
      {
        facts,
        messageIdDomain: messageIdDomain(this.config),
        now,
        document: progressOf(await readDocument(trx, plan), plan.hold_until, now),
      },
    );
    await appendAudit(trx, {
      business_id: plan.business_id,
      action: 'message.send',
      subject: plan.document_id,
      actor: actorOf(request.person_id),
      before: null,
      after: { delivery_id: id, channel },
    });
    return row;
  }
}

/** The message of an earlier call with the same id. */
function sameMessage(known: DeliveryRow, plan: Selectable<PlanTable>, request: Request): DeliveryRow {
  const isSame =
    known.requested &&
    known.document_id === plan.document_id &&
    known.channel === request.channel &&
    known.recipient === request.recipient;
  if (!isSame) {
    throw invalid('/delivery_id', 'is the id of another message');
  }
  return known;
}
