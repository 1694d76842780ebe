import { sqlMigration } from '@pinkas/service-kit/schema';

/**
 * Proformas that ask for nothing any more and have received more than their total: what else has a note about its payment is found by its
 * settlement. The index of all
 * that is paid in part goes: that may be most of a book.
 */
export const overpaidProformas = sqlMigration(`
  create index document_overpaid_proforma_idx on document (business_id, position)
    where type = 'proforma' and paid > total and settlement is null;
  drop index document_part_paid_idx;
`);
