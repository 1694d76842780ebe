import { listenFrom, runSimulator } from '../run-simulator.js';
import { type Replica, startLoadBalancer } from './load-balancer.js';

await runSimulator('load-balancer', (environment) =>
  startLoadBalancer({
    front: listenFrom(environment, 'FRONT_PORT'),
    health: listenFrom(environment),
    replicas: JSON.parse(environment.REPLICAS ?? '[]') as Replica[],
  }),
);
