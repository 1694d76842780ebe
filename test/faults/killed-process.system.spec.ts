import { allocationKilled, deliveryKilled, renderingKilled } from './schedules/kills.js';
import { followSchedules } from './schedules/schedule.js';

/** All services die with one of them: what each has left to do is done once after the restart. */
followSchedules('the system with the services in one process that dies', 'one', [
  [...renderingKilled, ...allocationKilled, ...deliveryKilled],
]);
