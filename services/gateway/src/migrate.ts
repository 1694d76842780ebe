import { runMigrations } from '@pinkas/service-kit/schema';
import { migrations } from './db/migrations.js';

await runMigrations('gateway', migrations, { messaging: false });
