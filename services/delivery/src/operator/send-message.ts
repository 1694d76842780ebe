import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, sendMessage } from '@pinkas/contracts';
import { heldUntil } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
  type Transaction,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryFacts, DeliveryRow, DeliveryTables, DocumentKey } from '../db/delivery.tables.js';
import { messageIdDomain } from '../message/message-id-domain.js';
import { factsOf } from '../plan/delivery-facts.js';
import {
  lockDocument,
  type PlannedDocument,
  progressOf,
  recordPlanned,
} from '../plan/document.repository.js';
import { IssuedDocuments } from '../plan/issued-documents.js';
import { MessageChannels } from '../send/message-channels.js';
import { MessageSender } from '../send/message-sender.js';
import { messageStatus } from '../send/message-status.js';
import { findFacts, findMessage, insertRequested } from '../send/requested-message.repository.js';
import { parseRecipient } from '../suppression/address.js';
import { isSuppressed } from '../suppression/suppression.repository.js';

type Request = RequestOf<typeof sendMessage>;

/** What is known of a document: its facts, and how it would be planned where no message of it was. */
interface KnownDocument {
  readonly facts: DeliveryFacts;
  readonly planned?: PlannedDocument;
}

const noAddress = {
  email: 'is no mail address',
  whatsapp: 'is no mobile number that WhatsApp takes',
} as const;
const invalid = (path: string, message: string) => ApiError.invalid([{ path, message }]);

/** Makes a message that a person asks for. It is sent by the same worker, and by the same rules, as those that were planned at issue. */
@Controller()
export class SendMessage {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'mailFrom'>,
    private readonly documents: IssuedDocuments,
    private readonly channels: MessageChannels,
    private readonly sender: MessageSender,
  ) {}

  @Operation(sendMessage)
  async handle(request: Request): Promise<ReplyOf<typeof sendMessage>> {
    const recipient = parseRecipient(request.channel, request.recipient);
    if (recipient === null) {
      throw invalid('/recipient', noAddress[request.channel]);
    }
    const db = forTenant(this.db, request.business_id);
    // As PostgreSQL writes it.
    const key = { business_id: request.business_id, document_id: request.document_id.toLowerCase() };
    const facts = await findFacts(db, key);
    // Before the transaction, which holds a lock.
    const known = facts ? { facts } : await this.#fetch(key);
    const row = await db
      .transaction()
      .execute((trx) => this.#store(trx, key, { ...request, recipient }, known));
    if (row.state === 'ready') {
      this.sender.trigger();
    }
    return messageStatus(row);
  }

  /** @throws ApiError `not_found` where the business has no such document. */
  async #fetch(key: DocumentKey): Promise<KnownDocument> {
    const issued = await this.documents.fetch(key);
    return { facts: factsOf(issued), planned: issued.planned };
  }

  async #store(
    trx: Transaction<DeliveryTables>,
    key: DocumentKey,
    request: Request,
    { facts, planned }: KnownDocument,
  ): Promise<DeliveryRow> {
    const { channel, recipient } = request;
    // As PostgreSQL writes it: the Message-ID contains it.
    const id = request.delivery_id.toLowerCase();
    const state = planned ? await recordPlanned(trx, key, planned) : await lockDocument(trx, key);
    const known = await findMessage(trx, { business_id: key.business_id, id });
    if (known) {
      return sameMessage(known, key, request);
    }
    const unavailable = this.channels.unavailableReason({ business_id: key.business_id, channel });
    if (unavailable !== null) {
      throw invalid('/channel', unavailable);
    }
    if (await isSuppressed(trx, key.business_id, channel, recipient)) {
      throw invalid(
        '/recipient',
        'is suppressed: it gets no messages of this business until it is allowed again',
      );
    }
    const now = this.clock.now();
    const notBefore = heldUntil('customer', facts.business.quiet_hours, now);
    const row = await insertRequested(
      trx,
      key,
      { id, channel, purpose: 'customer', recipient, notBefore },
      {
        facts,
        messageIdDomain: messageIdDomain(this.config),
        now,
        document: progressOf(state, now),
      },
    );
    await appendTrail(trx, {
      business_id: key.business_id,
      action: 'message.send',
      subject: key.document_id,
      actor: actorOf(request.person_id),
      before: null,
      after: { delivery_id: id, channel },
    });
    return row;
  }
}

/** The message of an earlier call with the same id. */
function sameMessage(known: DeliveryRow, key: DocumentKey, request: Request): DeliveryRow {
  const isSame =
    known.requested &&
    known.document_id === key.document_id &&
    known.channel === request.channel &&
    known.recipient === request.recipient;
  if (!isSame) {
    throw invalid('/delivery_id', 'is the id of another message');
  }
  return known;
}
