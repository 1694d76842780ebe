import { runMigrations } from '@pinkas/service-kit/schema';
import { migrations } from './db/migrations.js';

await runMigrations('console', migrations, { messaging: false });
