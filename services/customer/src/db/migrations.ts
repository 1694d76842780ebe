import {
  type Migrations,
  messagingAges,
  messagingSweep,
  messagingTables,
  messagingTraces,
} from '@pinkas/service-kit/schema';
import { customerCards } from './0002-customer-cards.js';
import { rowSecurity } from './0003-row-security.js';
import { reservations } from './0004-reservations.js';
import { nameSuffixes } from './0005-name-suffixes.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-customer-cards': customerCards,
  '0003-row-security': rowSecurity,
  '0004-reservations': reservations,
  '0005-name-suffixes': nameSuffixes,
  '0006-sweep': messagingSweep,
  '0007-messaging-ages': messagingAges,
  '0008-messaging-traces': messagingTraces,
};
