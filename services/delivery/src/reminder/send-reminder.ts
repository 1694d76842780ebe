import { Controller } from '@nestjs/common';
import {
  listDebts,
  type ReplyOf,
  type RequestOf,
  remindedDocumentsMax,
  sendReminder,
} from '@pinkas/contracts';
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
  RpcClient,
  type Transaction,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryRow, DeliveryTables, DocumentKey, Reminder } from '../db/delivery.tables.js';
import { messageIdDomain } from '../message/message-id-domain.js';
import { factsOf } from '../plan/delivery-facts.js';
import { recordPlanned } from '../plan/document.repository.js';
import { IssuedDocuments, type IssuedFacts } from '../plan/issued-documents.js';
import { MessageSender } from '../send/message-sender.js';
import { messageStatus } from '../send/message-status.js';
import { takeReminder } from '../send/reminder.repository.js';
import { findMessage, insertRequested, withoutPdf } from '../send/requested-message.repository.js';
import { parseRecipient } from '../suppression/address.js';
import { isSuppressed } from '../suppression/suppression.repository.js';

type Request = RequestOf<typeof sendReminder>;

const invalid = (path: string, message: string) => ApiError.invalid([{ path, message }]);

/**
 * Makes an email that reminds a customer of open documents. It is a message of the first of them, sent by the same worker and by the
 * same rules as one that brings the document.
 */
@Controller()
export class SendReminder {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'mailFrom'>,
    private readonly rpc: RpcClient,
    private readonly documents: IssuedDocuments,
    private readonly sender: MessageSender,
  ) {}

  @Operation(sendReminder)
  async handle(request: Request): Promise<ReplyOf<typeof sendReminder>> {
    const { business, customer_id, subject, text } = request;
    const recipient = parseRecipient('email', request.recipient);
    if (recipient === null) {
      throw invalid('/recipient', 'is no email address');
    }
    const db = forTenant(this.db, business.id);
    // As PostgreSQL writes it: the Message-ID contains it.
    const id = request.reminder_id.toLowerCase();
    const known = await findMessage(db, { business_id: business.id, id });
    if (known) {
      return messageStatus(sameReminder(known, customer_id));
    }
    const document_ids = await this.#openDocuments(request);
    const [first = ''] = document_ids;
    const key = { business_id: business.id, document_id: first };
    const issued = await this.documents.fetch(key);
    const reminder = { customer_id, subject, text, document_ids };
    const row = await db
      .transaction()
      .execute((trx) => this.#store(trx, key, { ...request, reminder_id: id, recipient }, issued, reminder));
    this.sender.trigger();
    return messageStatus(row);
  }

  /** The ids of the documents, the first due first. @throws ApiError `validation_error` where one has nothing left to pay. */
  async #openDocuments({ business, customer_id, document_ids }: Request): Promise<string[]> {
    const { debts } = await this.rpc.call(listDebts, {
      business_id: business.id,
      customer_id,
      limit: remindedDocumentsMax,
      after: null,
    });
    const asked = new Set(document_ids.map((documentId) => documentId.toLowerCase()));
    const open = debts.map(({ document }) => document.id).filter((documentId) => asked.has(documentId));
    if (open.length < asked.size) {
      throw invalid('/document_ids', 'has a document of which nothing is left to pay');
    }
    return open;
  }

  async #store(
    trx: Transaction<DeliveryTables>,
    key: DocumentKey,
    { business, reminder_id: id, recipient, person_id }: Request,
    issued: IssuedFacts,
    reminder: Reminder,
  ): Promise<DeliveryRow> {
    await recordPlanned(trx, key, issued.planned);
    // The same form may have been sent twice at once.
    const known = await findMessage(trx, { business_id: key.business_id, id });
    if (known) {
      return sameReminder(known, reminder.customer_id);
    }
    if (await isSuppressed(trx, key.business_id, 'email', recipient)) {
      throw invalid(
        '/recipient',
        'is suppressed: it gets no messages of this business until it is allowed again',
      );
    }
    if (!(await takeReminder(trx, { business_id: key.business_id, id }, reminder, this.clock))) {
      throw invalid('/customer_id', 'was reminded within the last three days, or one of the documents was');
    }
    const now = this.clock.now();
    // The settings of now: the document may be older than the quiet hours.
    const facts = factsOf({ ...issued, business });
    const row = await insertRequested(
      trx,
      key,
      {
        id,
        channel: 'email',
        purpose: 'customer',
        recipient,
        notBefore: heldUntil('customer', facts.business.quiet_hours, now),
      },
      { facts, messageIdDomain: messageIdDomain(this.config), now, document: withoutPdf },
      reminder,
    );
    await appendTrail(trx, {
      business_id: key.business_id,
      action: 'reminder.send',
      subject: key.document_id,
      actor: actorOf(person_id),
      before: null,
      after: { delivery_id: id, customer_id: reminder.customer_id, documents: reminder.document_ids.length },
    });
    return row;
  }
}

/** The reminder of an earlier call with the same id. */
function sameReminder(known: DeliveryRow, customerId: string): DeliveryRow {
  if (known.reminder?.customer_id !== customerId.toLowerCase()) {
    throw invalid('/reminder_id', 'is the id of another message');
  }
  return known;
}
