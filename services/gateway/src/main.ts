import { runService } from '@pinkas/service-kit';
import { readEnvironment } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { migrations } from './db/migrations.js';
import { backgroundTasks, GatewayModule } from './gateway.module.js';

await runService(() => ({
  name: 'gateway',
  config: readEnvironment(fields),
  module: GatewayModule,
  migrations,
  backgroundTasks,
  readyWithoutServers: true,
}));
