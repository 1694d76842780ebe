import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identifyProcess, isAlive, isPortFree, PortBusyError, reservePort } from '@pinkas/local-servers';
import { type Home, openHome, writeJson } from '../src/home.js';
import { rotateLog } from '../src/log-rotation.js';
import { Ports } from '../src/ports.js';
import { endLeftovers, HomeInUseError, type RunState, supervisorOf, takeHome } from '../src/run-state.js';
import { ensureSecrets } from '../src/secrets.js';

let home: Home;

/** A process that lives until it is killed. */
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
  it('has one supervisor at a time, and is free again when given back', () => {
    const giveBack = takeHome(home);
    expect(supervisorOf(home)?.pid).toBe(process.pid);
    expect(() => takeHome(home)).toThrow(HomeInUseError);

    giveBack();

    expect(supervisorOf(home)).toBeNull();
    takeHome(home)();
  });

  it('is taken over from a supervisor that was killed', () => {
    writeJson(home.lockFile, { pid: process.pid, startedAt: 'before this process was born' });
    expect(supervisorOf(home)).toBeNull();

    const giveBack = takeHome(home);

    expect(supervisorOf(home)?.pid).toBe(process.pid);
    giveBack();
  });

  it('is rid of what a killed supervisor left, while a stranger with a recorded id lives on', async () => {
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
        restarts: 0,
      })),
    };
    writeJson(home.runStateFile, state);

    expect(await endLeftovers(home)).toEqual(['issuing']);

    expect(isAlive(leftover.identity)).toBe(false);
    expect(isAlive(stranger.identity)).toBe(true);
    stranger.child.kill('SIGKILL');
  });

  it('keeps its secrets, readable by their owner only', async () => {
    const first = await ensureSecrets(home);
    const signing = readFileSync(home.signingFile);

    expect(await ensureSecrets(home)).toEqual(first);
    expect(readFileSync(home.signingFile).equals(signing)).toBe(true);
    expect(first.apiKeyPepper).toMatch(/^[0-9a-f]{64}$/);
    for (const file of [home.secretsFile, home.signingFile]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it('keeps its ports, and draws another one only where a port was taken', async () => {
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

  it('keeps a port from other homes while the process that will bind it is still starting', async () => {
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

  it('keeps it by a name that every version of Node writes alike, since none is left to fill up', async () => {
    const ports = await Ports.choose(home, ['a'], { preferred: {}, fixed: {} });
    const names = readFileSync('/proc/net/unix', 'latin1').split('\n');
    const claim = names.find((line) => line.includes(`@pinkas-port-${ports.number('a')}-`));
    expect(claim).toMatch(/@pinkas-port-\d+-+$/);
    await ports.releaseAll();
  });

  it('refuses a fixed port that is taken, and holds none then', async () => {
    const taken = await reservePort();
    const choosing = Ports.choose(home, ['a', 'b'], { preferred: {}, fixed: { b: taken.port } });

    await expect(choosing).rejects.toThrow(PortBusyError);

    expect(existsSync(home.portsFile)).toBe(false);
    await taken.release();
  });

  it('moves a log that has grown large aside and goes on in the same file', () => {
    const log = home.logFile('issuing');
    writeFileSync(log, 'a line\n'.repeat(10));

    rotateLog(log, 1_000);
    expect(statSync(log).size).toBe(70);
    rotateLog(log, 50);

    expect(statSync(log).size).toBe(0);
    expect(readFileSync(`${log}.1`, 'utf8')).toContain('a line');
  });
});
