import { runService } from '@pinkas/service-kit';
import { AllocationModule, backgroundTasks } from './allocation.module.js';
import { readAllocationConfig } from './config.js';
import { migrations } from './db/migrations.js';

await runService(() => ({
  name: 'allocation',
  config: readAllocationConfig(),
  module: AllocationModule,
  migrations,
  backgroundTasks,
}));
