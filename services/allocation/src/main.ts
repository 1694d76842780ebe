import { readEnvironment, runService } from '@pinkas/service-kit';
import { AllocationModule, backgrounds } from './allocation.module.js';
import { fields } from './config.js';

await runService(() => ({
  name: 'allocation',
  config: readEnvironment(fields),
  module: AllocationModule,
  backgrounds,
}));
