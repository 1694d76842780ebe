import { sqlMigration } from '@pinkas/service-kit/schema';

/**
 * Large invoices by what is known of their buyers, in the order of lists: those without a number of a business that was not connected,
 * and those without the number of their buyer. The index before, of all large invoices of such a business, serves the release before.
 */
export const buyers = sqlMigration(`
  create index document_undeductible_idx on document (business_id, position)
    where type in ('tax_invoice', 'tax_invoice_receipt') and vat > 0
      and business ->> 'tax_authority_connected' = 'false'
      and subtotal - discount > (business ->> 'allocation_threshold_net')::numeric
      and customer ->> 'tax_id' is not null
      and (customer ->> 'legal_type' in ('private', 'osek_patur')) is not true;
  create index document_without_buyer_id_idx on document (business_id, position)
    where type in ('tax_invoice', 'tax_invoice_receipt') and subtotal - discount > 5000
      and customer ->> 'tax_id' is null and (customer ->> 'legal_type' = 'private') is not true;
`);
