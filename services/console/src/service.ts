import type { ServiceDefinition } from '@pinkas/service-kit';
import { readConfig } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { backgroundTasks, ConsoleModule } from './console.module.js';
import { migrations } from './db/migrations.js';

/** The service with the configuration of an environment. */
export const service: ServiceDefinition = (env) => ({
  name: 'console',
  config: readConfig(fields, env),
  module: ConsoleModule,
  migrations,
  backgroundTasks,
  readyWithoutServers: true,
});
