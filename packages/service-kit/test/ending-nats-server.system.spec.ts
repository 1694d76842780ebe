import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { getUsage } from '@pinkas/contracts';
import { reservePort, startNats } from '@pinkas/local-stack/servers';
import { eventually, startTestNats } from '@pinkas/testkit';
import { newContext, RpcClient, withContext } from '../src/index.js';
import { currentContext, remainingMs } from '../src/process/context.js';
import { connectNats } from '../src/process/nats-connection.js';
import { probe, startProbe } from './probe-service.js';

describe('a server of NATS that is about to end', () => {
  const closers: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    probe.answer = async () => 7;
    jest.restoreAllMocks();
    for (const close of closers.splice(0).reverse()) {
      await close();
    }
  });

  /** Two servers, with the probe and its caller at the first. */
  async function start() {
    const [first, second] = [await reservePort(), await reservePort()];
    await Promise.all([first.release(), second.release()]);
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-ends-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const serverOf = async (own: number, other: number) => {
      const server = await startNats({
        dataDir: join(folder, String(own)),
        logFile: join(folder, `${own}.log`),
        authorization: `cluster { name: pinkas, listen: "127.0.0.1:${own}", routes: ["nats://127.0.0.1:${other}"] }`,
      });
      closers.push(() => server.stop());
      return server;
    };
    const ending = await serverOf(first.port, second.port);
    const staying = await serverOf(second.port, first.port);
    const connection = await connectNats(ending.url, 'caller');
    closers.push(() => connection.close());
    await eventually('the servers have elected a leader', async () => jetstreamManager(connection));
    const tested = await startProbe({ natsUrl: ending.url });
    closers.push(() => tested.stop());
    await eventually(
      'the servers know each other',
      async () => (connection.info?.connect_urls?.length ?? 0) === 2,
    );
    const client = new RpcClient(connection);
    const request = { business_id: randomUUID(), key_id: randomUUID() };
    const call = (context = newContext(20_000)) =>
      withContext(context, () => client.call({ ...getUsage, timeoutMs: 20_000 }, request));
    return { ending, stayingHost: new URL(staying.url).host, connection, call };
  }

  it('every call is answered while each process moves to another server', async () => {
    const { ending, stayingHost, connection, call } = await start();
    const outcomes: string[] = [];
    let ended = false;
    const caller = async () => {
      while (!ended) {
        outcomes.push(String((await call()).used_today));
      }
    };
    probe.answer = () => pass(1, 7);
    closers.push(() => {
      ended = true;
    });
    const callers = Promise.all(Array.from({ length: 32 }, caller));
    await eventually('calls are answered', () => outcomes.length > 50);
    process.kill(ending.pid, 'SIGUSR2');
    await eventually('the caller is at the other server', () => connection.getServer() === stayingHost);
    const before = outcomes.length;
    await eventually('calls are answered', () => outcomes.length > before + 1_000);
    ended = true;
    await callers;
  });

  it('a server that falls silent is left for another one', async () => {
    const { ending, stayingHost, connection, call } = await start();
    process.kill(ending.pid, 'SIGSTOP');
    closers.push(() => process.kill(ending.pid, 'SIGCONT'));
    await eventually('a call is answered', () => call().then(() => true));
    expect(connection.getServer()).toBe(stayingHost);
  }, 60_000);

  it('a call that is held until then has the time that is left, and is not sent without any', async () => {
    const { ending, stayingHost, connection, call } = await start();
    const leftMs = new Map<string | undefined, number>();
    let end = () => {};
    const firstEnds = new Promise<void>((resolve) => {
      end = resolve;
    });
    closers.push(() => end());
    let handled = 0;
    probe.answer = async () => {
      leftMs.set(currentContext()?.requestId, remainingMs(60_000));
      handled += 1;
      if (handled === 1) {
        await firstEnds;
      }
      return 7;
    };
    let nowMs = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const inFlight = call();
    await eventually('a call is in flight', () => handled === 1);
    const statuses = connection.status();
    process.kill(ending.pid, 'SIGUSR2');
    for await (const { type } of statuses) {
      if (type === 'ldm') {
        break;
      }
    }
    const [held, short] = [newContext(20_000), newContext(100)];
    const answer = call(held);
    const refused = expect(call(short)).rejects.toMatchObject({
      code: 'engine_error',
      cause: { message: `${getUsage.subject} cannot be called: no time is left` },
    });
    nowMs += 200;
    await refused;
    nowMs += 2_000;
    // Its connection is left before its reply, and it is sent again.
    expect(await inFlight).toEqual({ used_today: 7 });
    expect(await answer).toEqual({ used_today: 7 });
    expect(connection.getServer()).toBe(stayingHost);
    expect(leftMs.get(held.requestId)).toBeLessThanOrEqual(20_000 - 2_200);
    expect(leftMs.has(short.requestId)).toBe(false);
  });

  it('a process stays at a server that has no other, and its calls are answered', async () => {
    const nats = await startTestNats();
    closers.push(() => nats.stop());
    const connection = await connectNats(nats.url, 'caller');
    closers.push(() => connection.close());
    const tested = await startProbe({ natsUrl: nats.url });
    closers.push(() => tested.stop());
    const client = new RpcClient(connection);
    const seen: string[] = [];
    const statuses = connection.status();
    void (async () => {
      for await (const { type } of statuses) {
        seen.push(type);
      }
    })();
    process.kill(nats.pid, 'SIGUSR2');
    await eventually('the client sees that the server ends', () => seen.includes('ldm'));
    for (let count = 0; count < 40; count += 1) {
      expect(await client.call(getUsage, { business_id: randomUUID(), key_id: randomUUID() })).toEqual({
        used_today: 7,
      });
    }
    expect(seen).not.toContain('disconnect');
  });
});
