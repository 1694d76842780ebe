import { runService } from '@pinkas/service-kit';
import { readEnvironment } from '@pinkas/service-kit/config';
import { fields } from './config.js';
import { migrations } from './db/migrations.js';
import { backgroundTasks, RenderingModule } from './rendering.module.js';

await runService(() => ({
  name: 'rendering',
  config: readEnvironment(fields),
  module: RenderingModule,
  migrations,
  backgroundTasks,
}));
