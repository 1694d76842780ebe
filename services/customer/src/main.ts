import { runService } from '@pinkas/service-kit';
import { service } from './service.js';

await runService(service);
