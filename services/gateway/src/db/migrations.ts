import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { payment } from './0002-payment.js';
import { requestLog } from './0003-request-log.js';
import { requestDetails } from './0004-request-details.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-payment': payment,
  '0003-request-log': requestLog,
  '0004-request-details': requestDetails,
};
