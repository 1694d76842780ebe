import { readEnvironment, runService } from '@pinkas/service-kit';
import { fields } from './config.js';
import { renderingService } from './rendering.module.js';

await runService(() => ({ ...renderingService, config: readEnvironment(fields) }));
