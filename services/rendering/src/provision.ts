import { runProvisioning } from '@pinkas/service-kit';

await runProvisioning('rendering');
