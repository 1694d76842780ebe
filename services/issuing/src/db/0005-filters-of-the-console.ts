import { sqlMigration } from '@pinkas/service-kit/schema';

/** Lists by customer and by status, each in the order of the list (docs/adr/0027-lists-read-one-page.md). */
export const filtersOfTheConsole = sqlMigration(`
  create index document_customer_position_idx on document (business_id, customer_id, position);
  -- The status changes after the issue, once or twice in the life of a document: the one exception among these indexes.
  create index document_type_status_position_idx on document (business_id, type, status, position);
`);
