import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { HangingSystem } from './hanging-system.js';

describe('the system with a server that hangs', () => {
  let system: HangingSystem;
  beforeAll(async () => {
    system = await HangingSystem.start();
  }, 180_000);
  afterAll(() => system?.stop(), 60_000);

  it('the system answers or refuses in time, and heals by itself, after NATS was frozen', async () => {
    await system.expectHealed(() => {
      process.kill(system.nats.pid, 'SIGSTOP');
      return () => process.kill(system.nats.pid, 'SIGCONT');
    });
  }, 300_000);

  it('the system heals after a network that swallows everything to and from NATS forwards it again, and until then the gateway stays ready and refuses with engine_error', async () => {
    await system.expectHealed(() => system.cutNats(), {
      whileBroken: () => system.expectReadyAndRefusing(),
      servedWithinMs: 30_000,
    });
  }, 300_000);

  it('the system heals after a network that swallowed everything to and from NATS resets', async () => {
    await system.expectHealed(() => {
      system.proxy.cut();
      return () => system.proxy.reset();
    });
  }, 300_000);

  it('the system answers or refuses in time, and heals by itself, while PostgreSQL is frozen, and the gateway stays ready and refuses with engine_error', async () => {
    await system.expectHealed(() => system.freeze('postgres'), {
      whileBroken: () => system.expectReadyAndRefusing(),
      servedWithinMs: 30_000,
    });
  }, 300_000);

  it('the system answers or refuses in time, and heals by itself, while the renderer is frozen', async () => {
    await system.expectHealed(() => system.freeze('gotenberg'));
  }, 300_000);

  it('the book is complete, and nothing is left to do', () => system.expectComplete(), 400_000);
});
