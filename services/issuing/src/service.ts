import type { ServiceDefinition } from '@pinkas/service-kit';
import { readConfig } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { migrations } from './db/migrations.js';
import { backgroundTasks, IssuingModule } from './issuing.module.js';

/** The service with the configuration of an environment. */
export const service: ServiceDefinition = (env) => ({
  name: 'issuing',
  config: readConfig(fields, env),
  module: IssuingModule,
  migrations,
  backgroundTasks,
});
