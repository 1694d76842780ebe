import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { exports } from './0002-exports.js';
import { signingIn } from './0003-signing-in.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-exports': exports,
  '0003-signing-in': signingIn,
};
