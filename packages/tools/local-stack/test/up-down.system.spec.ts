import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '../src/config.js';
import { type Home, openHome, readJson } from '../src/home.js';
import { supervisorOf } from '../src/run-state.js';
import {
  identifyProcess,
  isAlive,
  isPortFree,
  type ProcessIdentity,
  reservePort,
  waitUntil,
} from '../src/servers/index.js';
import type { StackFile } from '../src/stack-file.js';

const run = promisify(execFile);
const minutes = 60_000;

let home: Home;

/** Runs a command; rejects when its exit code is not 0. */
async function pinkas(
  args: string | readonly string[],
  extraEnv: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    [join(repositoryRoot, 'packages/tools/local-stack/bootstrap.mjs'), ...[args].flat()],
    {
      // Wherever a command is typed, a relative folder is one of the clone.
      cwd: tmpdir(),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PINKAS_HOME: relative(repositoryRoot, home.path),
        ...extraEnv,
      },
      timeout: 4 * minutes,
    },
  );
  return stdout;
}

function stackFile(): StackFile {
  const stack = readJson<StackFile>(home.stackFile);
  if (stack === null) {
    throw new Error('there is no stack.json');
  }
  return stack;
}

function processes(): ProcessIdentity[] {
  return stackFile().services.map(({ name, pid }) => {
    const identity = identifyProcess(pid);
    if (identity === null) {
      throw new Error(`${name} does not run`);
    }
    return identity;
  });
}

/** The ports of the home by name. */
const ports = () => readJson<Record<string, number>>(home.portsFile) ?? {};

beforeAll(() => {
  home = openHome(mkdtempSync(join(tmpdir(), 'pinkas-up-')));
});

afterAll(async () => {
  await pinkas('down');
  rmSync(home.path, { recursive: true, force: true });
}, 2 * minutes);

it(
  'up fails with the address when nothing is up at GOTENBERG_URL',
  async () => {
    const other = mkdtempSync(join(tmpdir(), 'pinkas-up-'));
    const { port, release } = await reservePort();
    await release();
    const env = { GOTENBERG_URL: `http://user:secret@127.0.0.1:${port}`, PINKAS_HOME: other };
    try {
      await expect(pinkas('up', env)).rejects.toThrow(
        `gotenberg is not up: GOTENBERG_URL names http://127.0.0.1:${port}, and GET http://127.0.0.1:${port}/health gets: ECONNREFUSED`,
      );
    } finally {
      await pinkas('down', env);
      rmSync(other, { recursive: true, force: true });
    }
  },
  2 * minutes,
);

describe('the complete system in the background', () => {
  it(
    'the system starts, answers, restarts after its supervisor was killed, and stops without leftovers',
    async () => {
      await pinkas('up');
      const first = stackFile();
      expect(first.services.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          ...['postgres', 'nats', 'redis', 'gotenberg', 'gateway', 'issuing', 'delivery', 'console'],
        ]),
      );
      for (const [key, mode] of [
        [first.demo?.api_key, 'live'],
        [first.demo?.test_api_key, 'test'],
      ]) {
        const answer = await fetch(`${first.base_url}/me`, { headers: { authorization: `Bearer ${key}` } });
        expect(await answer.json()).toMatchObject({ mode });
      }
      expect(JSON.parse(await pinkas(['pinkas', 'business', 'list', '--json']))).toHaveLength(1);
      const owner = first.demo?.owner_email ?? '';
      const link = JSON.parse(await pinkas(['pinkas', 'person', 'link', owner, '--json'])) as { url: string };
      expect(new URL(link.url).origin).toBe(first.console_url);
      expect((await fetch(link.url)).status).toBe(200);
      for (const { health_url } of first.services.filter((service) => service.health_url !== null)) {
        expect((await fetch(health_url ?? '')).status).toBe(200);
      }

      const supervisor = supervisorOf(home);
      if (supervisor === null) {
        throw new Error('no process runs this home');
      }
      const before = processes();
      const portsBefore = ports();
      process.kill(supervisor.pid, 'SIGKILL');
      await waitUntil(() => !isAlive(supervisor), { what: 'the supervisor is gone', timeoutMs: 10_000 });
      await pinkas('up');

      expect(before.filter(isAlive)).toEqual([]);
      // Addresses, the demo business and its key stay, but for a port that somebody else has taken.
      let second = JSON.stringify({ ...stackFile(), services: [] });
      for (const [name, port] of Object.entries(ports())) {
        const portBefore = portsBefore[name] as number;
        if (port !== portBefore) {
          expect([name, await isPortFree(portBefore)]).toEqual([name, false]);
          second = second.replaceAll(`:${port}`, `:${portBefore}`);
        }
      }
      expect(JSON.parse(second)).toEqual({ ...first, services: [] });

      const running = processes();
      expect(await pinkas('down')).toContain('is stopped');
      expect(running.filter(isAlive)).toEqual([]);
      expect(stackFile().services).toEqual([]);
      expect(await pinkas('down')).toContain('Nothing runs');
    },
    8 * minutes,
  );
});
