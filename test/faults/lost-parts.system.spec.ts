import { decisionsKilled } from './schedules/killed-decisions.js';
import {
  allocationKilled,
  deliveryKilled,
  donationKilled,
  issuingKilled,
  renderingKilled,
  webhooksKilled,
} from './schedules/kills.js';
import { outages } from './schedules/outages.js';
import { restoredBackup } from './schedules/restored-backup.js';
import { followSchedules } from './schedules/schedule.js';

const kills = [
  ...issuingKilled,
  ...renderingKilled,
  ...allocationKilled,
  ...decisionsKilled,
  ...donationKilled,
  ...deliveryKilled,
  ...webhooksKilled,
];

/** A service dies at a chosen instant, or a server is taken away and given back. */
// Last: the restored system has lost what was done after the instant.
followSchedules('the system without one of its parts', 1, [kills, outages, [restoredBackup]]);
