import { runService } from '@pinkas/service-kit';
import { readDeliveryConfig } from './config.js';
import { SendMessages } from './delivery/send-messages.js';
import { DeliveryModule } from './delivery.module.js';

await runService(() => ({
  name: 'delivery',
  config: readDeliveryConfig(),
  module: DeliveryModule,
  backgrounds: [SendMessages],
}));
