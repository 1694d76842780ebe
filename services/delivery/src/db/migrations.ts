import {
  type Migrations,
  messagingAges,
  messagingSweep,
  messagingTables,
  messagingTraces,
} from '@pinkas/service-kit/schema';
import { deliveries } from './0002-deliveries.js';
import { rowSecurity } from './0003-row-security.js';
import { withdrawn } from './0004-withdrawn.js';
import { attempts } from './0006-attempts.js';
import { suppressions } from './0007-suppressions.js';
import { dueByChannel } from './0008-due-by-channel.js';
import { traces } from './0011-traces.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-deliveries': deliveries,
  '0003-row-security': rowSecurity,
  '0004-withdrawn': withdrawn,
  '0005-sweep': messagingSweep,
  '0006-attempts': attempts,
  '0007-suppressions': suppressions,
  '0008-due-by-channel': dueByChannel,
  '0009-messaging-ages': messagingAges,
  '0010-messaging-traces': messagingTraces,
  '0011-traces': traces,
};
