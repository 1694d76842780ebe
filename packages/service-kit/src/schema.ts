/** The part of the kit that creates databases and their tables, for programs that do so and end: it loads in a fraction of the time. */
export { kitMigrations, trailMigrations } from './db/kit-migrations.js';
export { migrate, runMigrations } from './db/migrate.js';
export { provisionDatabase, type Role, runProvisioning, withDatabase, withRole } from './db/provision.js';
export { type Migrations, type SqlMigration, sqlMigration } from './db/sql-migration.js';
export { createTestBookFunction, enableTenantIsolation, keepLiveRows } from './db/tenant-isolation.js';
export { createJobTable } from './jobs/job-table.js';
export { serviceFields } from './process/config.js';
