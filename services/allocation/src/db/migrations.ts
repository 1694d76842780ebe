import {
  type Migrations,
  messagingAges,
  messagingSweep,
  messagingTables,
  messagingTraces,
} from '@pinkas/service-kit/schema';
import { allocations } from './0002-allocations.js';
import { rowSecurity } from './0003-row-security.js';
import { connectingAndLookingUp } from './0005-connecting-and-looking-up.js';
import { pausesAnew } from './0006-pauses-anew.js';
import { traces } from './0009-traces.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-allocations': allocations,
  '0003-row-security': rowSecurity,
  '0004-sweep': messagingSweep,
  '0005-connecting-and-looking-up': connectingAndLookingUp,
  '0006-pauses-anew': pausesAnew,
  '0007-messaging-ages': messagingAges,
  '0008-messaging-traces': messagingTraces,
  '0009-traces': traces,
};
