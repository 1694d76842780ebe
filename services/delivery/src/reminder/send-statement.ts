import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, sendStatement, statementBytesMax } from '@pinkas/contracts';
import { beginningOfDayInIsrael, dayInIsrael, heldUntil } from '@pinkas/domain';
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
import type { DeliveryRow, DeliveryTables, DocumentKey } from '../db/delivery.tables.js';
import { messageIdDomain } from '../message/message-id-domain.js';
import { factsOf } from '../plan/delivery-facts.js';
import { recordPlanned } from '../plan/document.repository.js';
import { IssuedDocuments, type IssuedFacts } from '../plan/issued-documents.js';
import { MessageSender } from '../send/message-sender.js';
import { messageStatus } from '../send/message-status.js';
import { findMessage, insertRequested, withoutPdf } from '../send/requested-message.repository.js';
import { countStatements, insertStatementFile } from '../send/statement-file.repository.js';
import { parseRecipient } from '../suppression/address.js';
import { isSuppressed } from '../suppression/suppression.repository.js';

type Request = RequestOf<typeof sendStatement>;

/** Of a business: their files have some megabytes each, and are kept for days. */
const statementsPerDay = 200;

const invalid = (path: string, message: string) => ApiError.invalid([{ path, message }]);

/**
 * Makes an email that brings the statement of an account. Like a reminder it is a message of one document, sent by the same worker and by
 * the same rules; it counts as none, since it asks for nothing that it does not prove.
 */
@Controller()
export class SendStatement {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'mailFrom'>,
    private readonly documents: IssuedDocuments,
    private readonly sender: MessageSender,
  ) {}

  @Operation(sendStatement)
  async handle(request: Request): Promise<ReplyOf<typeof sendStatement>> {
    const { business, customer_id } = request;
    const recipient = parseRecipient('email', request.recipient);
    if (recipient === null) {
      throw invalid('/recipient', 'is no email address');
    }
    const pdf = Buffer.from(request.pdf, 'base64');
    if (pdf.subarray(0, 5).toString('latin1') !== '%PDF-' || pdf.length > statementBytesMax) {
      throw invalid('/pdf', 'is no PDF, or too large');
    }
    const db = forTenant(this.db, business.id);
    // As PostgreSQL writes it: the Message-ID contains it.
    const id = request.statement_id.toLowerCase();
    const known = await findMessage(db, { business_id: business.id, id });
    if (known) {
      return messageStatus(sameStatement(known, customer_id));
    }
    const key = { business_id: business.id, document_id: request.document_id };
    const issued = await this.documents.fetch(key);
    const row = await db
      .transaction()
      .execute((trx) => this.#store(trx, key, { ...request, statement_id: id, recipient }, issued, pdf));
    this.sender.trigger();
    return messageStatus(row);
  }

  async #store(
    trx: Transaction<DeliveryTables>,
    key: DocumentKey,
    request: Request,
    issued: IssuedFacts,
    pdf: Buffer,
  ): Promise<DeliveryRow> {
    const { business, customer_id, statement_id: id, recipient, subject, text, as_of, closing } = request;
    await recordPlanned(trx, key, issued.planned);
    // The same form may have been sent twice at once.
    const known = await findMessage(trx, { business_id: key.business_id, id });
    if (known) {
      return sameStatement(known, customer_id);
    }
    if (await isSuppressed(trx, key.business_id, 'email', recipient)) {
      throw invalid(
        '/recipient',
        'is suppressed: it gets no messages of this business until it is allowed again',
      );
    }
    const now = this.clock.now();
    // The settings of now: the document may be older than the quiet hours.
    const facts = factsOf({ ...issued, business });
    const notBefore = heldUntil('customer', facts.business.quiet_hours, now);
    const row = await insertRequested(
      trx,
      key,
      { id, channel: 'email', purpose: 'customer', recipient, notBefore },
      { facts, messageIdDomain: messageIdDomain(this.config), now, document: withoutPdf },
      { customer_id, subject, text, document_ids: [], statement: { as_of, closing } },
    );
    const day = beginningOfDayInIsrael(dayInIsrael(now));
    if ((await countStatements(trx, key.business_id, day)) >= statementsPerDay) {
      throw invalid(
        '/recipient',
        `gets none: ${statementsPerDay} statements were sent today, which is the most of a day`,
      );
    }
    await insertStatementFile(trx, { business_id: key.business_id, id }, pdf);
    await appendTrail(trx, {
      business_id: key.business_id,
      action: 'statement.send',
      subject: key.document_id,
      actor: actorOf(request.person_id),
      before: null,
      after: { delivery_id: id, customer_id },
    });
    return row;
  }
}

/** The statement of an earlier call with the same id. */
function sameStatement(known: DeliveryRow, customerId: string): DeliveryRow {
  if (!known.reminder?.statement || known.reminder.customer_id !== customerId.toLowerCase()) {
    throw invalid('/statement_id', 'is the id of another message');
  }
  return known;
}
