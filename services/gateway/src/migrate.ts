import { runMigrations } from '@pinkas/service-kit';
import { migrations } from './db/migrations.js';

await runMigrations('gateway', migrations);
