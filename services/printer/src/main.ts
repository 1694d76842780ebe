import { listenFrom, positiveFrom, requiredFrom, runSimulator } from '../run-simulator.js';
import { startGotenberg } from './gotenberg-simulator.js';

/** As Gotenberg reads them, where its flag `--api-enable-basic-auth` is set. */
const { GOTENBERG_API_BASIC_AUTH_USERNAME: user, GOTENBERG_API_BASIC_AUTH_PASSWORD: password } = process.env;

await runSimulator('gotenberg', (environment) =>
  startGotenberg({
    ...listenFrom(environment),
    chromiumPath: requiredFrom(environment, 'CHROMIUM_PATH'),
    pages: environment.PAGES ? positiveFrom(environment, 'PAGES', 1) : undefined,
    queueMax: positiveFrom(environment, 'QUEUE_MAX', 256),
    apiTimeoutMs: positiveFrom(environment, 'API_TIMEOUT_MS', 30_000),
    basicAuth: user && password && `${user}:${password}`,
  }),
);
