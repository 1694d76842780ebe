import { afterAll, beforeAll, describe } from '@jest/globals';
import { RunningStack } from '../running-stack.js';
import { bookModel } from './sections/book-model.js';
import { requestBodies } from './sections/request-bodies.js';

/** Generated requests against the whole system; each section makes its own businesses. */
describe('the HTTP API', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await RunningStack.start();
  }, 180_000);
  afterAll(() => stack?.stop(), 60_000);

  const system = () => stack;
  requestBodies(system);
  bookModel(system);
});
