import { afterAll, beforeAll, describe } from '@jest/globals';
import { RunningStack } from '../running-stack.js';
import { longOutages } from './sections/long-outages.js';
import { shortOutages } from './sections/short-outages.js';

/** Each section takes servers and outside systems away and gives them back. */
describe('the system without one of its servers', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await RunningStack.start();
  }, 180_000);
  afterAll(() => stack?.stop(), 60_000);

  const system = () => stack;
  shortOutages(system);
  longOutages(system);
});
