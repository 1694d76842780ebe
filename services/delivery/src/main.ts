import { runService } from '@pinkas/service-kit';
import { readDeliveryConfig } from './config.js';
import { migrations } from './db/migrations.js';
import { backgroundTasks, DeliveryModule } from './delivery.module.js';

await runService(() => ({
  name: 'delivery',
  config: readDeliveryConfig(),
  module: DeliveryModule,
  migrations,
  backgroundTasks,
}));
