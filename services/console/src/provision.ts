import { runProvisioning } from '@pinkas/service-kit/schema';

await runProvisioning('console');
