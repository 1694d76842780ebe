import { runService } from '@pinkas/service-kit';
import { readEnvironment } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { backgroundTasks, CustomerModule } from './customer.module.js';
import { migrations } from './db/migrations.js';

await runService(() => ({
  name: 'customer',
  config: readEnvironment(fields),
  module: CustomerModule,
  migrations,
  backgroundTasks,
}));
