import { afterAll, beforeAll, describe } from '@jest/globals';
import { RunningStack } from '../harness/running-stack.js';
import { killedAllocation } from './sections/killed-allocation.js';
import { killedDelivery } from './sections/killed-delivery.js';
import { killedIssuing } from './sections/killed-issuing.js';
import { killedRendering } from './sections/killed-rendering.js';
import { longOutages } from './sections/long-outages.js';
import { restoredBackup } from './sections/restored-backup.js';
import { shortOutages } from './sections/short-outages.js';

/** Each section kills a service at chosen points, or takes a server away and gives it back, with businesses of its own. */
describe('the system without one of its parts', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await RunningStack.start();
  }, 180_000);
  afterAll(() => stack?.stop(), 60_000);

  const system = () => stack;
  killedIssuing(system);
  killedRendering(system);
  killedAllocation(system);
  killedDelivery(system);
  shortOutages(system);
  longOutages(system);
  // Last: the restored system has lost what was done after the instant.
  restoredBackup(system);
});
