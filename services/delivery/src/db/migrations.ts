import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { testMessages } from './0002-test-messages.js';
import { requestedMessages } from './0003-requested-messages.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-test-messages': testMessages,
  '0003-requested-messages': requestedMessages,
};
