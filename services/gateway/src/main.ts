import { readEnvironment, runService } from '@pinkas/service-kit';
import { fields } from './config.js';
import { backgrounds, GatewayModule } from './gateway.module.js';

await runService(() => ({
  name: 'gateway',
  config: readEnvironment(fields),
  module: GatewayModule,
  backgrounds,
}));
