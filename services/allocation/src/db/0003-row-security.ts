import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** A business sees its own rows alone. */
export const rowSecurity = sqlMigration(`
  ${hideFromOthers('allocation')}
  ${hideFromOthers('connection')}
`);
