import { hangingServers } from './schedules/hangs.js';
import { followSchedules } from './schedules/schedule.js';

followSchedules('the system with a server that hangs', 1, [hangingServers]);
