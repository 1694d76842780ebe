import { type Migrations, messagingTables } from '@pinkas/service-kit';
import { deliveries } from './0002-deliveries.js';
import { rowSecurity } from './0003-row-security.js';
import { withdrawn } from './0004-withdrawn.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-deliveries': deliveries,
  '0003-row-security': rowSecurity,
  '0004-withdrawn': withdrawn,
};
