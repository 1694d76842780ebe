import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { clearableTestBooks } from './0002-clearable-test-books.js';
import { unresolvedAllocations } from './0003-unresolved-allocations.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-clearable-test-books': clearableTestBooks,
  '0003-unresolved-allocations': unresolvedAllocations,
};
