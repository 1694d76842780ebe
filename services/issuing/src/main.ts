import { runService } from '@pinkas/service-kit';
import { readEnvironment } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { migrations } from './db/migrations.js';
import { backgroundTasks, IssuingModule } from './issuing.module.js';

await runService(() => ({
  name: 'issuing',
  config: readEnvironment(fields),
  module: IssuingModule,
  migrations,
  backgroundTasks,
}));
