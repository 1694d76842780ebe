import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { HangingSystem } from './hanging-system.js';

describe('the system with a service that hangs', () => {
  let system: HangingSystem;
  beforeAll(async () => {
    system = await HangingSystem.start();
  }, 180_000);
  afterAll(() => system?.stop(), 60_000);

  // What no request waits for hangs together.
  it.each([
    ['the gateway', ['gateway']],
    ['issuing and customer', ['issuing', 'customer']],
    ['rendering', ['rendering']],
    ['allocation, delivery and Redis', ['allocation', 'delivery', 'redis']],
  ])(
    'the system answers or refuses in time, and heals by itself, while a service is frozen: %s',
    async (_what, parts) => {
      await system.expectHealed(() => system.freeze(...parts));
    },
    300_000,
  );

  it('the book is complete, and nothing is left to do', () => system.expectComplete(), 400_000);
});
