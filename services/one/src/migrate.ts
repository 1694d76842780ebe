import { isMessagingService, type ServiceName } from '@pinkas/contracts';
import { environmentOf, processEnvironment } from '@pinkas/service-kit/config';
import { runMigrations } from '@pinkas/service-kit/schema';
import { databases } from './databases.js';

const all = Object.entries(databases) as [ServiceName, (typeof databases)[ServiceName]][];
await Promise.all(
  all.map(([name, migrations]) =>
    runMigrations(
      name,
      migrations,
      { messaging: isMessagingService(name) },
      environmentOf(name, processEnvironment),
    ),
  ),
);
