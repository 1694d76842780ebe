import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { deployedNatsUsers } from './server-configuration.js';

const file = fileURLToPath(new URL('../../../../deploy/helm/pinkas/files/nats-users.conf', import.meta.url));
await writeFile(file, deployedNatsUsers());
