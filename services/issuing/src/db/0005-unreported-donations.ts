import { sqlMigration } from '@pinkas/service-kit/schema';

/** Donation receipts that were not reported when their institution was not connected to the tax authority, in the order of lists. */
export const unreportedDonations = sqlMigration(`
  create index document_unreported_donation_idx on document (business_id, position)
    where donation ->> 'status' = 'not_required' and business ->> 'tax_authority_connected' = 'false';
`);
