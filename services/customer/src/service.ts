import type { ServiceDefinition } from '@pinkas/service-kit';
import { readConfig } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { backgroundTasks, CustomerModule } from './customer.module.js';
import { migrations } from './db/migrations.js';

/** The service with the configuration of an environment. */
export const service: ServiceDefinition = (env) => ({
  name: 'customer',
  config: readConfig(fields, env),
  module: CustomerModule,
  migrations,
  backgroundTasks,
});
