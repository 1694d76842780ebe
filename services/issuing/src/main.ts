import { readEnvironment, runService } from '@pinkas/service-kit';
import { fields } from './config.js';
import { IssuingModule } from './issuing.module.js';

await runService(() => ({ name: 'issuing', config: readEnvironment(fields), module: IssuingModule }));
