import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { notDeductible } from './0002-not-deductible.js';
import { findByHash } from './0004-find-by-hash.js';
import { objectStore } from './0005-object-store.js';
import { listedObjects } from './0006-listed-objects.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-not-deductible': notDeductible,
  '0004-find-by-hash': findByHash,
  '0005-object-store': objectStore,
  '0006-listed-objects': listedObjects,
};
