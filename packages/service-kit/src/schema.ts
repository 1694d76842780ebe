/**
 * The part of the kit that makes databases and their tables, for programs that do so and end: it loads in a fraction of the
 * time that the whole kit takes.
 */
export { serviceFields } from './config.js';
export {
  messagingAges,
  messagingSweep,
  messagingTables,
  messagingTraces,
} from './db/messaging-tables.js';
export * from './db/migrate.js';
export * from './db/provision.js';
export { hideFromOthers } from './db/row-security.js';
