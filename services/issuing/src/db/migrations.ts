import {
  type Migrations,
  messagingAges,
  messagingSweep,
  messagingTables,
  messagingTraces,
} from '@pinkas/service-kit/schema';
import { documents } from './0002-documents.js';
import { listsAndCancelling } from './0003-lists-and-cancelling.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-messaging': messagingTables,
  '0002-documents': documents,
  '0003-lists-and-cancelling': listsAndCancelling,
  '0004-sweep': messagingSweep,
  '0005-messaging-ages': messagingAges,
  '0006-messaging-traces': messagingTraces,
};
