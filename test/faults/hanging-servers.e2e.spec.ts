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

  it('the system heals after a network that swallows everything to and from NATS forwards it again', async () => {
    await system.expectHealed(() => system.cutNats());
  }, 300_000);

  it('the system heals after a network that swallowed everything to and from NATS resets', async () => {
    await system.expectHealed(() => {
      system.proxy.cut();
      return () => system.proxy.reset();
    });
  }, 300_000);

  it.each(['postgres', 'gotenberg'])(
    'the system answers or refuses in time, and heals by itself, while a server is frozen: %s',
    async (server) => {
      await system.expectHealed(() => system.freeze(server));
    },
    300_000,
  );

  it('the gateway stays ready and refuses with engine_error while NATS is cut off', async () => {
    await system.expectReadyWithout(() => system.cutNats());
  }, 120_000);

  it('the gateway stays ready and refuses with engine_error while PostgreSQL is frozen', async () => {
    await system.expectReadyWithout(() => system.freeze('postgres'));
  }, 120_000);

  it('the book is complete, and nothing is left to do', () => system.expectComplete(), 400_000);
});
