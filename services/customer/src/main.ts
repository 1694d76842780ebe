import { readEnvironment, runService } from '@pinkas/service-kit';
import { PurgeReservations } from './card/purge-reservations.js';
import { fields } from './config.js';
import { CustomerModule } from './customer.module.js';

await runService(() => ({
  name: 'customer',
  config: readEnvironment(fields),
  module: CustomerModule,
  backgrounds: [PurgeReservations],
}));
