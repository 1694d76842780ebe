import { type Migrations, messagingTables } from '@pinkas/service-kit';
import { businessesAndKeys } from './0002-businesses-and-keys.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-businesses-and-keys': businessesAndKeys,
};
