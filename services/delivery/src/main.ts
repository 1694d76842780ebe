import { readEnvironment, runService } from '@pinkas/service-kit';
import { fields } from './config.js';
import { SendMessages } from './delivery/send-messages.js';
import { DeliveryModule } from './delivery.module.js';

await runService(() => ({
  name: 'delivery',
  config: readEnvironment(fields),
  module: DeliveryModule,
  backgrounds: [SendMessages],
}));
