import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  endProcess,
  identifyProcess,
  isAlive,
  isPortFree,
  PortBusyError,
  type RunningServer,
  reservePort,
  StartFailedError,
  startNats,
  startPostgres,
  startRedis,
  waitUntil,
} from '../src/servers/index.js';

let folder: string;
let running: RunningServer[];

const options = (name: string) => ({ dataDir: join(folder, name), logFile: join(folder, `${name}.log`) });

async function started<Server extends RunningServer>(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  running.push(server);
  return server;
}

/** Sends some bytes and returns the first that come back. */
async function exchange(port: number, bytes: Uint8Array | string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    socket.write(bytes);
    const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer];
    return answer.toString('latin1');
  } finally {
    socket.destroy();
  }
}

/** PostgreSQL's start-up message of protocol 3.0 for this user. */
function startupMessage(user: string): Uint8Array {
  const text = Buffer.from(`user\0${user}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + text.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, text]);
}

function pidsWorkingIn(dataDir: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir);
    } catch {
      return false;
    }
  });
}

beforeEach(() => {
  // mkdtemp makes a folder of mode 700, as that of a clone in a temporary folder.
  folder = mkdtempSync(join(tmpdir(), 'pinkas-servers-'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

describe('PostgreSQL', () => {
  it('PostgreSQL requires a password over TCP, even in a folder that other users cannot enter', async () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const server = await started(startPostgres({ ...options('postgres'), durable: false }));

    // 'R' asks for authentication; the method is named behind it.
    const answer = await exchange(server.port, startupMessage('postgres'));

    expect(answer[0]).toBe('R');
    expect(answer).toContain('SCRAM-SHA-256');
    expect(new URL(server.url).password).toBe(server.password);
  });

  it('PostgreSQL leaves no process and no password file when it stops', async () => {
    const server = await startPostgres({ ...options('postgres'), durable: true });
    expect(pidsWorkingIn(join(folder, 'postgres')).length).toBeGreaterThan(0);

    await server.stop();

    expect(pidsWorkingIn(join(folder, 'postgres'))).toEqual([]);
    expect(await isPortFree(server.port)).toBe(true);
    expect(existsSync(join(folder, 'postgres.password'))).toBe(false);
  });

  it('PostgreSQL opens the same data after it was killed', async () => {
    const first = await startPostgres({ ...options('postgres'), durable: true });
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    await waitUntil(() => pidsWorkingIn(join(folder, 'postgres')).length === 0, {
      what: 'the sessions of the killed server end',
      timeoutMs: 60_000,
    });

    const second = await started(
      startPostgres({ ...options('postgres'), durable: true, password: first.password, port: first.port }),
    );

    expect(second.url).toBe(first.url);
    expect((await exchange(second.port, startupMessage('postgres')))[0]).toBe('R');
  });

  it('PostgreSQL that cannot start is reported with the last lines of its log', async () => {
    const starting = startPostgres({
      ...options('postgres'),
      durable: false,
      settings: { work_mem: 'a lot' },
    });

    const error = await starting.then(
      () => null,
      (reason: unknown) => reason,
    );

    expect(error).toBeInstanceOf(StartFailedError);
    expect((error as StartFailedError).message).toContain('work_mem');
  });
});

describe('NATS', () => {
  it('NATS offers JetStream and leaves no process when it stops', async () => {
    const server = await started(startNats(options('nats')));
    const identity = identifyProcess(server.pid);

    expect(await exchange(server.port, '')).toContain('"jetstream":true');
    await server.stop();

    expect(identity).not.toBeNull();
    expect(identity !== null && isAlive(identity)).toBe(false);
    expect(await isPortFree(server.port)).toBe(true);
  });
});

describe('Redis', () => {
  it('Redis answers and leaves no process when it stops', async () => {
    const server = await started(startRedis(options('redis')));

    expect(await exchange(server.port, 'PING\r\n')).toBe('+PONG\r\n');
    await server.stop();

    expect(identifyProcess(server.pid)).toBeNull();
    expect(await isPortFree(server.port)).toBe(true);
  });

  it('Redis does not start on a port that another process uses', async () => {
    const reserved = await reservePort();

    await expect(startRedis({ ...options('redis'), port: reserved.port })).rejects.toThrow(PortBusyError);

    await reserved.release();
  });
});

describe('every server', () => {
  it('every server ends when its parent is killed', async () => {
    const fixture = fileURLToPath(new URL('./fixtures/start-all.mjs', import.meta.url));
    const parent = spawn(process.execPath, [fixture, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const servers = (JSON.parse(line.toString('utf8')) as number[]).map(identifyProcess);
    expect(servers).toHaveLength(3);
    expect(servers).not.toContain(null);

    parent.kill('SIGKILL');

    await waitUntil(() => servers.every((server) => server !== null && !isAlive(server)), {
      what: 'the servers end',
      timeoutMs: 60_000,
      everyMs: 50,
    });
  });

  it('endProcess ends the process with the given start time, and no other process with the same id', async () => {
    const server = await started(startRedis(options('redis')));
    const identity = identifyProcess(server.pid);
    if (identity === null) {
      throw new Error('the server does not run');
    }

    await endProcess({ ...identity, startedAt: '1' }, { stopSignal: 'SIGTERM', graceMs: 1_000 });
    expect(isAlive(identity)).toBe(true);

    await endProcess(identity, { stopSignal: 'SIGTERM', graceMs: 10_000 });
    expect(isAlive(identity)).toBe(false);
  });
});
