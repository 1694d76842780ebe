import { outages } from './schedules/outages.js';
import { restoredBackup } from './schedules/restored-backup.js';
import { followSchedules } from './schedules/schedule.js';

/** A server is taken away and given back. */
// Last: the restored system has lost what was done after the instant.
followSchedules('the system without one of its parts', 1, [outages, [restoredBackup]]);
