import { sqlMigration } from '@pinkas/service-kit/schema';

/** The index of all large invoices of a business that is not connected: `document_undeductible_idx` has those that lack a number. */
export const unconnected = sqlMigration('drop index document_unconnected_idx');
