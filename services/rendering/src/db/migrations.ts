import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { clearableTestBooks } from './0002-clearable-test-books.js';
import { signedHeads } from './0003-signed-heads.js';
import { originalArtifacts } from './0004-original-artifacts.js';

/** In order; a name that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-clearable-test-books': clearableTestBooks,
  '0003-signed-heads': signedHeads,
  '0004-original-artifacts': originalArtifacts,
};
