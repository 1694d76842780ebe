import { afterAll, beforeAll, describe } from '@jest/globals';
import { RunningStack } from '../running-stack.js';
import { killedAllocation } from './sections/killed-allocation.js';
import { killedDelivery } from './sections/killed-delivery.js';
import { killedIssuing } from './sections/killed-issuing.js';
import { killedRendering } from './sections/killed-rendering.js';

/** Each section kills one service at chosen points, with businesses of its own. */
describe('the system with one replica of each service', () => {
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
});
