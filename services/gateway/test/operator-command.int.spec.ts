import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeLogo } from '@pinkas/contracts';
import { reservePort, startNats } from '@pinkas/local-stack/servers';
import { eventually, startTestNats } from '@pinkas/testkit';
import { type GatewayUnderTest, startGateway } from './gateway.js';

const program = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/**
 * Runs the built `pinkas` command in a process of its own.
 * @param written called with each part of standard error.
 */
function pinkas(
  natsUrl: string | undefined,
  words: readonly string[],
  input = '',
  home = '/nonexistent',
  written: (text: string) => void = () => {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...words], {
      env: { PATH: process.env.PATH, PINKAS_HOME: home, ...(natsUrl && { NATS_URL: natsUrl }) },
      timeout: 120_000,
    });
    const ended: Ended = { code: null, out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      ended.out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      ended.err += chunk.toString();
      written(chunk.toString());
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ended, code }));
    child.stdin.end(input);
  });
}

describe('pinkas', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  const run = (line: string, input?: string) => pinkas(gateway.nats.url, line.split(' '), input);
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at members of any answer.
  const json = async (line: string, input?: string): Promise<any> => {
    const { code, out, err } = await run(`${line} --json`, input);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };
  const failed = async (line: string, { input, exits = 1 }: { input?: string; exits?: number } = {}) => {
    const { code, out, err } = await run(line, input);
    expect([code, out]).toEqual([exits, '']);
    expect(err).toMatch(/^[^\n]+\n$/);
    return err.trim();
  };

  it('pinkas creates a business and a key that works until pinkas revokes it', async () => {
    const business = await json(
      'business create --file -',
      '{"name": "עסק לדוגמה", "legal_type": "osek_patur"}',
    );
    expect(business).toMatchObject({ name: 'עסק לדוגמה', vat_rate: 0 });
    const key = await json(
      `key create --business ${business.id} --name till --scopes documents:read --per-minute 9 --daily 0`,
    );
    expect(key).toMatchObject({
      name: 'till',
      scopes: ['documents:read'],
      per_minute: 9,
      daily_documents: 0,
    });
    const me = await gateway.http('/v1/me', { key: key.key });
    expect(me.json.business.id).toBe(business.id);

    const changed = await json(`business update ${business.id} --file -`, '{"auto_send": {"enabled": true}}');
    expect(changed.auto_send).toEqual({ enabled: true, channel: 'email', quiet_hours: null });
    expect(await json(`business show ${business.id}`)).toEqual(changed);
    expect(await json('business list')).toEqual([changed]);

    const { key: value, ...shown } = key;
    // Its use may be stored already.
    const [listed] = await json(`key list --business ${business.id}`);
    expect({ ...listed, last_used_at: null }).toEqual(shown);
    expect((await json(`key revoke ${key.id}`)).revoked_at).not.toBeNull();
    expect((await gateway.http('/v1/me', { key: value })).json.error.code).toBe('key_revoked');
  });

  it('pinkas api disable turns the HTTP API off, and pinkas api enable turns it on', async () => {
    const { key } = await gateway.caller();
    const statusOfCall = async () => (await gateway.http('/v1/document-types', { key: key.key })).status;
    expect(await json('api disable')).toEqual({ enabled: false });
    expect(await statusOfCall()).toBe(503);
    expect((await run('api enable')).out).toBe('The HTTP API is enabled\n');
    expect(await statusOfCall()).toBe(200);
  });

  it('pinkas doctor states what is wrong, and exits with 1 where a check has failed', async () => {
    const checked = async () => {
      const { code, out, err } = await run('doctor --json');
      const { checks } = JSON.parse(out) as { checks: { subject: string; state: string }[] };
      expect([code, JSON.parse(err).error.code]).toEqual([1, 'refused']);
      return (name: string) => checks.filter(({ subject }) => subject === name).map(({ state }) => state);
    };
    await json('api disable');
    const found = await checked();
    await json('api enable');
    expect([found('gateway'), found('issuing'), found('Redis')]).toEqual([['ok'], ['failure'], ['ok']]);
    expect(found('HTTP API')).toEqual(['warning']);
    expect((await checked())('HTTP API')).toEqual(['ok']);
    const { out, err } = await run('doctor --problems');
    expect(out).toMatch(/^failure +issuing +no process answers\n +→ Start it/m);
    expect(out).not.toMatch(/^ok /m);
    expect(err).toMatch(/^\d+ checks have failed: the report states what to do\n$/);
  });

  it('pinkas prints tables without --json, and never the value of a key', async () => {
    const { business, key } = await gateway.caller();
    expect((await run('business list')).out).toMatch(/^ID +LEGAL TYPE +TAX ID +STATE +NAME\n/);
    const list = await run(`key list --business ${business.id}`);
    expect(list.out).toContain(key.prefix);
    expect(list.out).not.toContain(key.key);
  });

  it('an invalid command prints one line with what to correct', async () => {
    const id = randomUUID();
    expect(await failed('business create --file -', { input: '{"name": "x", "tax_id": "123456789"}' })).toBe(
      'Correct these and try again: /name must have at least 2 characters; /tax_id has a wrong check digit',
    );
    expect(await failed(`business show ${id}`)).toBe(
      `No business has the id ${id}: pinkas business list shows them`,
    );
    expect(await failed('business destroy', { exits: 2 })).toContain('pinkas business --help');
  });

  it('pinkas waits for a NATS that starts after it', async () => {
    const { port, release } = await reservePort();
    await release();
    const written: string[] = [];
    const url = `nats://127.0.0.1:${port}`;
    const answered = pinkas(url, ['business', 'list'], '', '/nonexistent', (text) => void written.push(text));
    await eventually('pinkas waits', () => written.join('').includes(`does not answer yet at ${url}`));
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-late-'));
    const late = await startNats({ dataDir: folder, logFile: join(folder, 'nats.log'), port });
    try {
      // It is connected: no service runs there.
      expect((await answered).err).toContain('rpc.gateway.business.list.v1 has no responder');
    } finally {
      await late.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('pinkas ends where NATS stays unreachable, and at once where NATS denies it', async () => {
    const denying = await startTestNats('authorization { user: operator, password: right }');
    try {
      const url = denying.url.replace('//', '//operator:wrong@');
      const denied = await pinkas(url, ['business', 'list']);
      // Without the line of one that waits.
      expect(denied.err).toMatch(
        /^NATS does not answer at nats:\/\/127\.0\.0\.1:\d+ \(.*authorization.*\n$/i,
      );
    } finally {
      await denying.stop();
    }
    expect(await pinkas('nats://127.0.0.1:1', ['business', 'list'])).toEqual({
      code: 1,
      out: '',
      err: [
        'NATS does not answer yet at nats://127.0.0.1:1; trying for 15 seconds',
        'NATS does not answer at nats://127.0.0.1:1 (connection refused): check NATS_URL, and that NATS runs',
        '',
      ].join('\n'),
    });
  });

  it('pinkas prints how to start the local system that does not answer', async () => {
    const home = await mkdtemp(join(tmpdir(), 'pinkas-home-'));
    try {
      await writeFile(join(home, 'stack.json'), '{"nats_url": "nats://operator:secret@127.0.0.1:1"}');
      expect((await pinkas(undefined, ['business', 'list'], '', home)).err).toBe(
        'The system does not answer at nats://127.0.0.1:1: start it with npm run up\n',
      );
    } finally {
      await rm(home, { recursive: true });
    }
    expect((await pinkas(undefined, ['business', 'list', '--json'])).err).toContain('npm run up');
  });

  it('pinkas sends the logo that a settings file names, relative to that file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-logo-'));
    try {
      const drawing =
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"><rect width="2" height="1"/></svg>';
      const file = join(folder, 'settings.json');
      await writeFile(join(folder, 'logo.svg'), drawing);
      await writeFile(file, '{"name": "עסק לדוגמה", "logo": "logo.svg", "accent_color": "#0b6e4f"}');
      const sent: string[] = [];
      gateway.network.answer(storeLogo, ({ logo }) => {
        sent.push(logo);
        return { sha256: 'ab'.repeat(32) };
      });
      expect(await json(`business create --file ${file}`)).toMatchObject({
        logo: { sha256: 'ab'.repeat(32) },
        accent_color: '#0b6e4f',
      });
      expect(sent).toEqual([`data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`]);
      await writeFile(file, '{"logo": "other.svg"}');
      expect(await failed(`business update ${randomUUID()} --file ${file}`)).toContain(
        'other.svg cannot be read',
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
