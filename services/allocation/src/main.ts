import { readEnvironment, runService } from '@pinkas/service-kit';
import { AskAuthority } from './allocation/ask-authority.js';
import { AllocationModule } from './allocation.module.js';
import { fields } from './config.js';

await runService(() => ({
  name: 'allocation',
  config: readEnvironment(fields),
  module: AllocationModule,
  backgrounds: [AskAuthority],
}));
