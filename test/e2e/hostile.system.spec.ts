import { afterAll, beforeAll, describe } from '@jest/globals';
import { RunningStack } from '../harness/running-stack.js';
import { bookProperties } from '../properties/sections/book-properties.js';
import { requestBodies } from '../properties/sections/request-bodies.js';
import { hostile } from './sections/hostile.js';

/** A system of its own: what the tour comes to is what it has made. */
describe('the system with inputs at random', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await RunningStack.start();
  });
  afterAll(() => stack?.stop());

  hostile(() => stack);
  requestBodies(() => stack);
  bookProperties(() => stack);
});
