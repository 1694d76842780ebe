import { environmentOf, processEnvironment } from '@pinkas/service-kit/config';
import { runProvisioning } from '@pinkas/service-kit/schema';
import { databases } from './databases.js';

for (const name of Object.keys(databases)) {
  await runProvisioning(name, environmentOf(name, processEnvironment));
}
