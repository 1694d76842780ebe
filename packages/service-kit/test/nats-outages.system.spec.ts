import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { eventSubject, getUsage, messageDue, showBusiness, streamOf } from '@pinkas/contracts';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { reservePort, startNats } from '@pinkas/local-stack/servers';
import {
  createTestDatabase,
  eventually,
  type ServiceUnderTest,
  serviceConfig,
  startTestNats,
  streamManagerOf,
  TcpProxy,
  type TestNats,
} from '@pinkas/testkit';
import { sql } from 'kysely';
import { ensureStreams } from '../src/events/streams.js';
import {
  ApiError,
  createLogger,
  newContext,
  OutboxRelay,
  RpcClient,
  startService,
  Tracing,
  withContext,
} from '../src/index.js';
import { connectNats, flush } from '../src/process/nats-connection.js';
import { whenReachable } from '../src/process/wait-for-server.js';
import {
  newEvent,
  type ProbeTables,
  probe,
  probeMigrations,
  probeService,
  startProbe,
} from './probe-service.js';

/** Longer than the client needs to give up a silent connection, and than its next dials wait. */
const brokenMs = timeLimitsMs.loseServer + 4_000;
const authorization =
  'authorization { timeout: 3, users: [{ user: service, password: a }, { user: caller, password: a }] }';

/** Keeps this process, and all that runs in it, from running. */
function getNoProcessorTime(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

/** The established connections of this machine to a port. */
async function connectionsTo(port: number): Promise<number> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1);
  return rows.filter((row) => {
    const [, , remoteAddress, state] = row.trim().split(/\s+/);
    return remoteAddress?.endsWith(remote) && state === '01';
  }).length;
}

/** The pulls that wait at a server for events. */
async function pullsAt(nats: TestNats): Promise<number> {
  const connection = await connectNats(`nats://caller:a@${new URL(nats.url).host}`, 'test');
  try {
    const { streams, consumers } = await streamManagerOf(connection);
    let waiting = 0;
    for await (const { config } of streams.list()) {
      for await (const { num_waiting } of consumers.list(config.name)) {
        waiting += num_waiting;
      }
    }
    return waiting;
  } finally {
    await connection.close();
  }
}

describe('a connection to NATS that is half open', () => {
  const closers: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    probe.answer = async () => 7;
    for (const close of closers.splice(0).reverse()) {
      await close();
    }
  });

  async function start() {
    const nats = await startTestNats(authorization);
    closers.push(() => nats.stop());
    const proxy = await TcpProxy.start(nats.url);
    closers.push(() => proxy.stop());
    const tested: ServiceUnderTest<ProbeTables> = await startProbe({
      natsUrl: `nats://service:a@${proxy.address}`,
    });
    closers.push(() => tested.stop());
    const connection = await connectNats(`nats://caller:a@${proxy.address}`, 'caller');
    closers.push(() => connection.close());
    const client = new RpcClient(connection);
    const call = () =>
      withContext(newContext(20_000), () =>
        client.call(getUsage, { business_id: randomUUID(), key_id: randomUUID() }),
      );
    return { nats, proxy, tested, connection, client, call };
  }

  it.each<[string, 'frozen' | 'cut', (nats: TestNats, proxy: TcpProxy) => () => void]>([
    [
      'frozen',
      'frozen',
      ({ pid }) => {
        process.kill(pid, 'SIGSTOP');
        return () => process.kill(pid, 'SIGCONT');
      },
    ],
    [
      'cut off, and forwarded again',
      'cut',
      (_nats, proxy) => {
        proxy.cut();
        return () => proxy.forward();
      },
    ],
    [
      'cut off, and reset',
      'cut',
      (_nats, proxy) => {
        proxy.cut();
        return () => proxy.reset();
      },
    ],
  ])('heals without help when the server is %s', async (_how, broken, breakIt) => {
    const { nats, proxy, tested, connection, call } = await start();
    expect(await call()).toEqual({ used_today: 7 });
    await eventually('the service pulls events', async () => (await pullsAt(nats)) > 0);
    const heal = breakIt(nats, proxy);
    closers.push(heal);
    // A process is stopped some time after the signal.
    await eventually('a call fails', () =>
      call().then(
        () => false,
        ({ code }) => code === 'engine_error',
      ),
    );
    await pass(brokenMs);
    await eventually('calls fail at once', async () => {
      await expect(call()).rejects.toMatchObject({
        code: 'engine_error',
        cause: { message: `${getUsage.subject} cannot be called: NATS is not connected` },
      });
      return true;
    });
    if (broken === 'cut') {
      // An event that the server delivered to a pull of a lost connection would wait for its acknowledgement.
      await eventually('the server has dropped the pulls', async () => (await pullsAt(nats)) === 0);
    }
    heal();
    await eventually('a call is answered', () => call().then(() => true));
    // With a forgotten connection, every second one would fail.
    for (let count = 0; count < 40; count += 1) {
      expect(await call()).toEqual({ used_today: 7 });
    }
    await eventually('each client has one connection', async () => proxy.connections === 2);
    expect(await connectionsTo(Number(new URL(nats.url).port))).toBe(2);
    const event = newEvent();
    await jetstream(connection).publish(eventSubject(messageDue, event.document.id), JSON.stringify(event), {
      msgID: randomUUID(),
    });
    await eventually('the event is handled', () =>
      tested.database.db
        .selectFrom('effect')
        .where('document_id', '=', event.document.id)
        .selectAll()
        .executeTakeFirst(),
    );
  });

  it('a call waits for a handler that works, and not for one that is silent', async () => {
    const { connection, client } = await start();
    const within = 20_000;
    probe.answer = () => pass(6_000, 7);
    const request = { business_id: randomUUID(), key_id: randomUUID() };
    const call = () =>
      withContext(newContext(within), () => client.call({ ...getUsage, timeoutMs: within }, request));
    expect(await call()).toEqual({ used_today: 7 });
    // A process that gets no processor time for longer than a silence may last has not read what has arrived.
    const called = call();
    await pass(1_500);
    getNoProcessorTime(timeLimitsMs.silence + 500);
    expect(await called).toEqual({ used_today: 7 });
    connection.subscribe(showBusiness.subject, { callback: () => {} });
    await expect(
      withContext(newContext(within), () =>
        client.call({ ...showBusiness, timeoutMs: within }, { business_id: randomUUID() }),
      ),
    ).rejects.toMatchObject({
      code: 'engine_error',
      cause: { message: `${showBusiness.subject} has a handler that does not respond` },
    });
  });
});

describe('a connection to NATS of which one end gets no processor time', () => {
  const closers: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    probe.answer = async () => 7;
    for (const close of closers.splice(0).reverse()) {
      await close();
    }
  });

  /** @returns what became of the connections of the caller and of a service so far. */
  async function start() {
    const nats = await startTestNats();
    closers.push(() => nats.stop());
    const proxy = await TcpProxy.start(nats.url);
    closers.push(() => proxy.stop());
    const tested = await startProbe({ natsUrl: nats.url });
    closers.push(() => tested.stop());
    const connection = await connectNats(`nats://${proxy.address}`, 'caller');
    closers.push(() => connection.close());
    const statuses: string[] = [];
    for (const followed of [connection, tested.network.connection]) {
      void (async () => {
        for await (const { type } of followed.status()) {
          statuses.push(type);
        }
      })();
    }
    const client = new RpcClient(connection);
    const within = 20_000;
    const request = { business_id: randomUUID(), key_id: randomUUID() };
    const call = (change: Partial<typeof getUsage> = {}) =>
      withContext(newContext(within), () =>
        client.call({ ...getUsage, timeoutMs: within, ...change }, request),
      );
    expect(await call()).toEqual({ used_today: 7 });
    return { nats, proxy, call, statuses };
  }

  it.each([1_000, 3_000, 6_000])('a server that gets none for %s ms keeps its connections', async (ms) => {
    const { nats, call, statuses } = await start();
    process.kill(nats.pid, 'SIGSTOP');
    closers.push(() => process.kill(nats.pid, 'SIGCONT'));
    const during = call().catch(({ code }) => code);
    await pass(ms);
    const isSilent = ms >= timeLimitsMs.silence;
    // A caller that waits for a core itself looks less often, and so takes longer to find the server silent.
    await (isSilent && during);
    process.kill(nats.pid, 'SIGCONT');
    expect(await during).toEqual(isSilent ? 'engine_error' : { used_today: 7 });
    await eventually('a call is answered', () => call().then(() => true));
    expect(statuses).not.toContain('disconnect');
  });

  it('processes that get none for eight seconds keep their connections, and their calls are answered', async () => {
    const { call, statuses } = await start();
    const during = call();
    getNoProcessorTime(8_000);
    expect(await during).toEqual({ used_today: 7 });
    expect(await call()).toEqual({ used_today: 7 });
    expect(statuses).not.toContain('disconnect');
  });

  it('a call whose connection is lost is sent again where the contract allows it, until its reply is there', async () => {
    const { proxy, call } = await start();
    const first = new Promise<number>((resolve) => {
      closers.push(() => resolve(0));
    });
    const answers = [() => first, () => Promise.reject(new ApiError('request_in_progress')), async () => 8];
    let handled = 0;
    probe.answer = () => (answers[handled++] ?? (async () => 0))();
    const repeated = call();
    await eventually('the call is handled', () => handled === 1);
    proxy.reset();
    expect(await repeated).toEqual({ used_today: 8 });
    handled = 0;
    const once = expect(call({ isRepeatable: false })).rejects.toMatchObject({
      code: 'engine_error',
      cause: { message: `${getUsage.subject} lost its connection to NATS` },
    });
    await eventually('the call is handled', () => handled === 1);
    proxy.reset();
    await once;
    expect(handled).toBe(1);
  });
});

describe('a service that starts before NATS', () => {
  it('the start waits until NATS is there, and fails at once where NATS denies it', async () => {
    const database = await createTestDatabase<ProbeTables>(probeMigrations);
    const reserved = await reservePort();
    await reserved.release();
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-starts-'));
    const logger = createLogger('test', 'silent');
    const warned = jest.spyOn(logger, 'warn');
    const start = (credentials: string) =>
      whenReachable(logger, () =>
        startService({
          ...probeService,
          config: serviceConfig({
            natsUrl: `nats://${credentials}@127.0.0.1:${reserved.port}`,
            databaseUrl: database.url,
          }),
        }),
      );
    const started = start('service:a');
    await eventually('the service waits', () => warned.mock.calls.length > 0);
    const nats = await startNats({
      dataDir: folder,
      logFile: join(folder, 'nats.log'),
      port: reserved.port,
      authorization,
    });
    try {
      await (await started).stop();
      await expect(start('service:b')).rejects.toThrow(/authorization/i);
      expect(warned).toHaveBeenCalledTimes(1);
    } finally {
      await nats.stop();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.each([
    [
      'service',
      0,
      `const { runProcess } = await import(kit + 'process/run-process.js');
      const { whenReachable } = await import(kit + 'process/wait-for-server.js');
      const start = (logger) => whenReachable(logger, async () => { throw new Error('timeout'); });
      await runProcess(() => ({ name: 'test', logLevel: 'info', start }));`,
    ],
    ['migration', 1, `await (await import(kit + 'db/migrate.js')).runMigrations('test', {});`],
    ['provisioning', 1, `await (await import(kit + 'db/provision.js')).runProvisioning('test');`],
  ])('a %s that waits for a server ends at SIGTERM', async (_kind, code, program) => {
    const kit = JSON.stringify(new URL('../dist/', import.meta.url));
    const as = (role: string) => `postgresql://${role}:password@127.0.0.1:1/test`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', `const kit = ${kit}; ${program}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ADMIN_DATABASE_URL: as('admin'),
        MIGRATION_DATABASE_URL: as('owner'),
        DATABASE_URL: as('login'),
      },
    });
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const ended = once(child, 'exit');
    await eventually('it waits', () => log.includes('server not reachable yet'));
    child.kill('SIGTERM');
    expect(await ended).toEqual([code, null]);
  });
});

it('an outbox sends again what it sent shortly before the connection was lost, however long that lasts', async () => {
  const nats = await startTestNats();
  const proxy = await TcpProxy.start(nats.url);
  const connection = await connectNats(`nats://${proxy.address}`, 'test');
  const manager = await jetstreamManager(connection);
  const { db, close } = await createTestDatabase<ProbeTables>(probeMigrations);
  const relay = new OutboxRelay(
    db,
    connection,
    jetstream(connection),
    () => ensureStreams(manager, [streamOf('issuing')], 1),
    createLogger('test', 'silent'),
    Tracing.off,
    1,
  );
  relay.start();
  try {
    const event = newEvent();
    const subject = eventSubject(messageDue, event.document.id);
    const isSent = () => manager.streams.getMessage(streamOf('issuing').name, { last_by_subj: subject });
    await eventually('the relay has started', () => manager.streams.info(streamOf('issuing').name));
    proxy.cut();
    await db
      .insertInto('outbox')
      .values({
        id: randomUUID(),
        subject,
        body: JSON.stringify(event),
        request_id: null,
        sent_at: sql<Date>`now()`,
      })
      .execute();
    await pass(brokenMs);
    proxy.reset();
    await eventually('the event is sent again', isSent);
  } finally {
    await relay.stop();
    await connection.close();
    await proxy.stop();
    await close();
    await nats.stop();
  }
});

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
      await eventually('the connection is made again', () => reconnects === 1);
      ahead.mockRestore();
      for (const count of [2, 3]) {
        proxy.reset();
        await eventually('the connection is made again', () => reconnects === count);
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

describe('event handling that takes long', () => {
  it('an event whose handling exceeds the ack wait is delivered once', async () => {
    const tested = await startProbe();
    const event = newEvent();
    let attempts = 0;
    let signs = 0;
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    probe.prepare = async (prepared) => {
      if (prepared.document.id !== event.document.id) {
        return;
      }
      attempts += 1;
      await waiting;
    };
    const acks = tested.network.connection.subscribe('$JS.ACK.EVT_ISSUING.probe-effects.>', {
      callback: (_error, message) => {
        if (message.string() === '+WPI') {
          signs += 1;
        }
      },
    });
    await tested.network.publish(messageDue, event.document.id, event);
    // Each comes after a third of the server's patience.
    await eventually('it has lived longer than the server waits', () => signs > 3);
    goOn();
    await eventually('it has succeeded', async () => {
      const effects = tested.database.db.selectFrom('effect').selectAll();
      return (await effects.where('document_id', '=', event.document.id).execute()).length === 1;
    });
    expect(attempts).toBe(1);
    acks.unsubscribe();
    probe.prepare = async () => {};
    await tested.stop();
  });
});
