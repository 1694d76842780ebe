import type { ServiceDefinition } from '@pinkas/service-kit';
import { AllocationModule, backgroundTasks } from './allocation.module.js';
import { readAllocationConfig } from './config.js';
import { migrations } from './db/migrations.js';

/** The service with the configuration of an environment. */
export const service: ServiceDefinition = (env) => ({
  name: 'allocation',
  config: readAllocationConfig(env),
  module: AllocationModule,
  migrations,
  backgroundTasks,
});
