import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { testKeys } from './0002-test-keys.js';
import { lastUsedKeys } from './0003-last-used-keys.js';
import { defaultNotes } from './0004-default-notes.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-test-keys': testKeys,
  '0003-last-used-keys': lastUsedKeys,
  '0004-default-notes': defaultNotes,
};
