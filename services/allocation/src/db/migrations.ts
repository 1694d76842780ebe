import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { authority } from './0002-authority.js';
import { decisions } from './0003-decisions.js';
import { threshold } from './0004-threshold.js';
import { unsentDecisions } from './0005-unsent-decisions.js';
import { jobs } from './0006-jobs.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-authority': authority,
  '0003-decisions': decisions,
  '0004-threshold': threshold,
  '0005-unsent-decisions': unsentDecisions,
  '0006-jobs': jobs,
};
