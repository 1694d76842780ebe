import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { HangingSystem } from './hanging-system.js';

describe('the system with a part that hangs', () => {
  let system: HangingSystem;
  beforeAll(async () => {
    system = await HangingSystem.start();
  }, 180_000);
  afterAll(() => system?.stop(), 60_000);

  // What no request waits for hangs together.
  it.each<[string, readonly string[]]>([
    ['PostgreSQL', ['postgres']],
    ['Redis, allocation and delivery', ['redis', 'allocation', 'delivery']],
    ['Gotenberg', ['gotenberg']],
    ['the gateway', ['gateway']],
    ['issuing and customer', ['issuing', 'customer']],
    ['rendering', ['rendering']],
  ])(
    'the system answers or refuses in time, and heals by itself, while a part is frozen: %s',
    async (_what, parts) => {
      await system.expectHealed(() => system.freeze(...parts));
    },
    300_000,
  );

  it('the gateway stays ready and refuses with engine_error while PostgreSQL is frozen', async () => {
    await system.expectReadyWithout(() => system.freeze('postgres'));
  }, 120_000);

  it('the book is complete, and nothing is left to do', () => system.expectComplete(), 400_000);
});
