import { afterAll, beforeAll, describe } from '@jest/globals';
import { RunningStack } from '../running-stack.js';
import { rollingRestart } from './sections/rolling-restart.js';

describe('the system with two replicas of each service', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await RunningStack.start({ PINKAS_REPLICAS: '2' });
  }, 180_000);
  afterAll(() => stack?.stop(), 120_000);

  rollingRestart(() => stack);
});
