import type { ServiceDefinition } from '@pinkas/service-kit';
import { readDeliveryConfig } from './config.js';
import { migrations } from './db/migrations.js';
import { backgroundTasks, DeliveryModule } from './delivery.module.js';

/** The service with the configuration of an environment. */
export const service: ServiceDefinition = (env) => ({
  name: 'delivery',
  config: readDeliveryConfig(env),
  module: DeliveryModule,
  migrations,
  backgroundTasks,
});
