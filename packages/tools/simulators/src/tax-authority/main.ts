import { listenFrom, runSimulator } from '../run-simulator.js';
import { startTaxAuthority } from './tax-authority-simulator.js';

await runSimulator('tax-authority', (environment) =>
  startTaxAuthority({
    ...listenFrom(environment),
    clientId: environment.CLIENT_ID || undefined,
    clientSecret: environment.CLIENT_SECRET || undefined,
    dataDir: environment.DATA_DIR || undefined,
    // JSON of what differs from the defaults of the options.
    options: JSON.parse(environment.OPTIONS || '{}') as Record<string, unknown>,
  }),
);
