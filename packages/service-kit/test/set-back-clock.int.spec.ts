import { describe, expect, it, jest } from '@jest/globals';
import { eventually, startTestNats, TcpProxy } from '@pinkas/testkit';
import { connectNats, flush } from '../src/process/nats-connection.js';

describe('a connection to NATS of a process whose clock is set back', () => {
  it('a connection that was made while the clock was an hour ahead is made again when it is lost', async () => {
    const nats = await startTestNats();
    const proxy = await TcpProxy.start(nats.url);
    const connection = await connectNats(`nats://${proxy.address}`, 'test');
    let reconnects = 0;
    void (async () => {
      for await (const { type } of connection.status()) {
        reconnects += type === 'reconnect' ? 1 : 0;
      }
    })();
    const now = Date.now;
    const ahead = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    try {
      proxy.reset();
      await eventually('the connection is made again', () => reconnects === 1, 10_000);
      ahead.mockRestore();
      for (const count of [2, 3]) {
        proxy.reset();
        await eventually('the connection is made again', () => reconnects === count, 10_000);
      }
      expect(await flush(connection)).toBe(true);
    } finally {
      ahead.mockRestore();
      await connection.close();
      await proxy.stop();
      await nats.stop();
    }
  });
});
