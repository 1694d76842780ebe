import {
  type Migrations,
  messagingAges,
  messagingSweep,
  messagingTables,
  messagingTraces,
} from '@pinkas/service-kit/schema';
import { artifacts } from './0002-artifacts.js';
import { rowSecurity } from './0003-row-security.js';
import { furtherOutputs } from './0004-further-outputs.js';
import { handedOver } from './0005-handed-over.js';
import { logos } from './0007-logos.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-artifacts': artifacts,
  '0003-row-security': rowSecurity,
  '0004-further-outputs': furtherOutputs,
  '0005-handed-over': handedOver,
  '0006-sweep': messagingSweep,
  '0007-logos': logos,
  '0008-messaging-ages': messagingAges,
  '0009-messaging-traces': messagingTraces,
};
