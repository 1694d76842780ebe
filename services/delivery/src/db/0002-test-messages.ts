import {
  createTestBookFunction,
  enableTenantIsolation,
  keepLiveRows,
  sqlMigration,
} from '@pinkas/service-kit/schema';

/** The messages that test books would have sent; only a test book can be emptied. */
export const testMessages = sqlMigration(`
  ${createTestBookFunction}
  create table test_message (
    business_id uuid not null,
    delivery_id uuid not null,
    document_id uuid not null,
    channel     text not null,
    purpose     text not null,
    recipient   text not null,
    subject     text not null,
    body        text not null,
    pdf_sha256  bytea not null,
    sent_at     timestamptz not null,
    constraint test_message_pkey primary key (business_id, delivery_id),
    constraint test_message_channel_check check (channel in ('email', 'whatsapp')),
    constraint test_message_purpose_check check (purpose in ('customer', 'accountant')),
    constraint test_message_business_check check (is_test_book(business_id))
  );
  create index test_message_sent_idx on test_message (business_id, sent_at, delivery_id);
  comment on table test_message is 'The messages of test books: what would have been given to a provider.';
  comment on column test_message.body is 'The text of an email, or the JSON of a WhatsApp message.';
  ${enableTenantIsolation('test_message')}

  ${['plan', 'rendered_document', 'cancelled_document', 'delivery', 'attempt'].map((table) => keepLiveRows(table)).join('')}
`);
