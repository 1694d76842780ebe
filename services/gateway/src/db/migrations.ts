import { type Migrations, messagingTables } from '@pinkas/service-kit/schema';
import { businessesAndKeys } from './0002-businesses-and-keys.js';
import { apiSwitch } from './0003-api-switch.js';
import { rowSecurity } from './0004-row-security.js';
import { brand } from './0005-brand.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-businesses-and-keys': businessesAndKeys,
  '0003-api-switch': apiSwitch,
  '0004-row-security': rowSecurity,
  '0005-brand': brand,
};
