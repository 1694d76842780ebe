import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** Who has not said which business it asks for sees none, nor a key of one. */
export const rowSecurity = sqlMigration(`
  ${hideFromOthers('business', 'id')}
  ${hideFromOthers('api_key')}
`);
