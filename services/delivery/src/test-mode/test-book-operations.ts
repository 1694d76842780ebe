import { Controller } from '@nestjs/common';
import { clearTestDeliveries, listTestMessages, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  clearTestBook,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
  type TestBookTables,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { testMessages } from './test-message.repository.js';

/** A message is a few KB. */
const pageMax = 100;

/** A follow-up refers to a message that is none. Endpoints stay, and so does the end of the list of events: a cursor stays valid. */
export const testBook: TestBookTables<DeliveryTables> = {
  tables: [
    'test_message',
    'attempt',
    'statement_file',
    'delivery',
    'document',
    'reminder_limit',
    'daily_count',
    'suppression',
    'webhook_attempt',
    'webhook',
    'event',
  ],
  highestFirst: { delivery: sql`follows is not null` },
};

/** The messages of a test book. */
@Controller()
export class TestBookOperations {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  /** Lists what a test book would have sent. */
  @Operation(listTestMessages)
  async list({
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

  /** Empties a test book. */
  @Operation(clearTestDeliveries)
  clear({
    business_id,
  }: RequestOf<typeof clearTestDeliveries>): Promise<ReplyOf<typeof clearTestDeliveries>> {
    return clearTestBook(this.db, business_id, testBook);
  }
}
