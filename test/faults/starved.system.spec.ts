import { followSchedules } from './schedules/schedule.js';
import { starved } from './schedules/starved.js';

followSchedules('the system without processor time', 1, [starved]);
