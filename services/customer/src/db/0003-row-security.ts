import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** The rows of a business are hidden from every other. */
export const rowSecurity = sqlMigration(`
  ${hideFromOthers('card')}
  ${hideFromOthers('tax_id_claim')}
`);
