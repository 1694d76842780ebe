import { listenFrom, requiredFrom, runSimulator } from '../run-simulator.js';
import { startFaultProxy } from './fault-proxy.js';

await runSimulator('fault-proxy', (environment) =>
  startFaultProxy({ ...listenFrom(environment), upstreamUrl: requiredFrom(environment, 'UPSTREAM_URL') }),
);
