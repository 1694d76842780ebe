import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { vatDetail } from './0002-vat-detail.js';
import { transmission } from './0003-transmission.js';
import { draft } from './0004-draft.js';
import { firstWeek } from './0005-first-week.js';
import { bookCheck } from './0006-book-check.js';
import { dismissedRow } from './0007-dismissed-row.js';
import { runReport } from './0008-run-report.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-vat-detail': vatDetail,
  '0003-transmission': transmission,
  '0004-draft': draft,
  '0005-first-week': firstWeek,
  '0006-book-check': bookCheck,
  '0007-dismissed-row': dismissedRow,
  '0008-run-report': runReport,
};
