import { hangingServices } from './schedules/hangs.js';
import { followSchedules } from './schedules/schedule.js';

followSchedules('the system with a service that hangs', 1, [hangingServices]);
