import { runService } from '@pinkas/service-kit';
import { readEnvironment } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { backgroundTasks, ConsoleModule } from './console.module.js';
import { migrations } from './db/migrations.js';

await runService(() => ({
  name: 'console',
  config: readEnvironment(fields),
  module: ConsoleModule,
  migrations,
  backgroundTasks,
  readyWithoutServers: true,
}));
