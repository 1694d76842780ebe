import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { termsAndNames } from './0002-terms-and-names.js';
import { namesAsTyped } from './0003-names-as-typed.js';
import { openedAs } from './0004-opened-as.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-terms-and-names': termsAndNames,
  '0003-names-as-typed': namesAsTyped,
  '0004-opened-as': openedAs,
};
