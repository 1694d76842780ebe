import { listTestMessages, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { testMessages } from './test-message.repository.js';

/** A message is a few KB. */
const pageMax = 100;

/** Lists what a test book would have sent. */
@Operation(listTestMessages)
export class ListTestMessages {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({
    business_id: businessId,
    after,
  }: RequestOf<typeof listTestMessages>): Promise<ReplyOf<typeof listTestMessages>> {
    const position = after && { ...after, sent_at: new Date(after.sent_at) };
    const rows = await testMessages(forTenant(this.db, businessId), businessId, position, pageMax);
    const messages = rows.map((row) => ({
      delivery_id: row.delivery_id,
      document_id: row.document_id,
      document_type: row.facts.document.type,
      document_number: row.facts.document.number,
      channel: row.channel,
      purpose: row.purpose,
      recipient: row.recipient,
      subject: row.subject,
      body: row.body,
      pdf_sha256: row.pdf_sha256.toString('hex'),
      sent_at: row.sent_at.toISOString(),
    }));
    const last = messages.at(-1);
    return {
      messages,
      next_after:
        last && messages.length === pageMax ? { sent_at: last.sent_at, delivery_id: last.delivery_id } : null,
    };
  }
}
