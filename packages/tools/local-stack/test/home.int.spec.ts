import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Home, openHome, writeJson } from '../src/home.js';
import { rotateLog } from '../src/log-rotation.js';
import { Ports } from '../src/ports.js';
import { acquireHome, endLeftovers, HomeInUseError, type RunState, supervisorOf } from '../src/run-state.js';
import { ensureSecrets } from '../src/secrets.js';
import { identifyProcess, isAlive, isPortFree, PortBusyError, reservePort } from '../src/servers/index.js';

let home: Home;

/** A process that runs until it is killed. */
async function sleeper() {
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const identity = child.pid === undefined ? null : identifyProcess(child.pid);
  if (identity === null) {
    throw new Error('the process does not run');
  }
  return { child, identity };
}

beforeEach(() => {
  home = openHome(mkdtempSync(join(tmpdir(), 'pinkas-home-')));
});

afterEach(() => {
  rmSync(home.path, { recursive: true, force: true });
});

describe('a home', () => {
  it('a home has one supervisor at a time, and can be acquired again after its release', () => {
    const release = acquireHome(home);
    expect(supervisorOf(home)?.pid).toBe(process.pid);
    expect(() => acquireHome(home)).toThrow(HomeInUseError);

    release();

    expect(supervisorOf(home)).toBeNull();
    acquireHome(home)();
  });

  it('a home can be acquired after its supervisor was killed', () => {
    writeJson(home.lockFile, { pid: process.pid, startedAt: 'before this process started' });
    expect(supervisorOf(home)).toBeNull();

    const release = acquireHome(home);

    expect(supervisorOf(home)?.pid).toBe(process.pid);
    release();
  });

  it('endLeftovers ends the processes of a killed supervisor, and no other process with a recorded id', async () => {
    const leftover = await sleeper();
    const stranger = await sleeper();
    const state: RunState = {
      supervisor: { pid: process.pid, startedAt: '1' },
      phase: 'ready',
      failure: null,
      repairs: 0,
      parts: [
        { name: 'issuing', process: leftover.identity },
        { name: 'customer', process: { ...stranger.identity, startedAt: '1' } },
      ].map((part) => ({
        ...part,
        layer: 'service',
        status: 'ready',
        log: '',
        healthUrl: null,
        members: [],
        restarts: 0,
      })),
    };
    writeJson(home.runStateFile, state);

    expect(await endLeftovers(home)).toEqual(['issuing']);

    expect(isAlive(leftover.identity)).toBe(false);
    expect(isAlive(stranger.identity)).toBe(true);
    stranger.child.kill('SIGKILL');
  });

  it('the secrets of a home stay the same and are readable only by their owner', async () => {
    const first = await ensureSecrets(home);
    const signing = readFileSync(home.signingFile);

    expect(await ensureSecrets(home)).toEqual(first);
    expect(readFileSync(home.signingFile).equals(signing)).toBe(true);
    expect(first.apiKeyPepper).toMatch(/^[0-9a-f]{64}$/);
    for (const file of [home.secretsFile, home.signingFile]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it('the ports of a home stay the same unless another process uses one', async () => {
    const choose = () => Ports.choose(home, ['a', 'b'], { preferred: {}, fixed: {} });
    const first = await choose();
    const [a, b] = [first.number('a'), first.number('b')];
    expect(await isPortFree(a)).toBe(false);
    await first.releaseAll();
    const taken = await reservePort(b);

    const second = await choose();

    expect(second.number('a')).toBe(a);
    expect(second.number('b')).not.toBe(b);
    await Promise.all([second.releaseAll(), taken.release()]);
  });

  it('no other home can reserve a port while its process is still starting', async () => {
    const first = await Ports.choose(home, ['a'], { preferred: {}, fixed: {} });
    const wanted = { preferred: { a: first.number('a') }, fixed: {} };
    await first.release('a');
    const other = openHome(mkdtempSync(join(tmpdir(), 'pinkas-home-')));

    const second = await Ports.choose(other, ['a'], wanted);

    expect(second.number('a')).not.toBe(first.number('a'));
    await expect(
      Ports.choose(other, ['b'], { preferred: {}, fixed: { b: first.number('a') } }),
    ).rejects.toThrow(PortBusyError);
    await Promise.all([first.releaseAll(), second.releaseAll()]);
    rmSync(other.path, { recursive: true });
  });

  it('a fixed port that is in use is rejected, and no port stays reserved', async () => {
    const taken = await reservePort();
    const choosing = Ports.choose(home, ['a', 'b'], { preferred: {}, fixed: { b: taken.port } });

    await expect(choosing).rejects.toThrow(PortBusyError);

    expect(existsSync(home.portsFile)).toBe(false);
    await taken.release();
  });

  it('a large log is copied and truncated, so that its writer keeps its file', () => {
    const log = home.logFile('issuing');
    writeFileSync(log, 'a line\n'.repeat(10));

    rotateLog(log, 1_000);
    expect(statSync(log).size).toBe(70);
    rotateLog(log, 50);

    expect(statSync(log).size).toBe(0);
    expect(readFileSync(`${log}.1`, 'utf8')).toContain('a line');
  });
});
