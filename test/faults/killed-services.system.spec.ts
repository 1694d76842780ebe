import { decisionsKilled } from './schedules/killed-decisions.js';
import {
  allocationKilled,
  deliveryKilled,
  donationKilled,
  issuingKilled,
  renderingKilled,
  webhooksKilled,
} from './schedules/kills.js';
import { followSchedules } from './schedules/schedule.js';

/** A service dies at a chosen instant. */
followSchedules('the system with a service that dies', 1, [
  [
    ...issuingKilled,
    ...renderingKilled,
    ...allocationKilled,
    ...decisionsKilled,
    ...donationKilled,
    ...deliveryKilled,
    ...webhooksKilled,
  ],
]);
