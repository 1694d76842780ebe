import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { notDeductible } from './0002-not-deductible.js';
import { statements } from './0003-statements.js';
import { statementHashes } from './0004-statement-hashes.js';
import { refusals } from './0005-refusals.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-not-deductible': notDeductible,
  '0003-statements': statements,
  '0004-statement-hashes': statementHashes,
  '0005-refusals': refusals,
};
