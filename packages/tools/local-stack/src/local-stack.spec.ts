import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { restartDelayMs } from './backoff.js';
import { BadEnvironmentError, readConfig, repositoryRoot } from './config.js';
import { type Home, openHome, writeJson } from './home.js';
import { checkVersion } from './home-version.js';
import { errorLine } from './start-progress.js';

describe('readConfig', () => {
  it('the home is in the clone and the port is not fixed by default', () => {
    expect(readConfig({})).toMatchObject({ home: `${repositoryRoot}/.pinkas`, port: null });
    expect(readConfig({ PINKAS_HOME: '/srv/books', PINKAS_PORT: '8099' })).toMatchObject({
      home: '/srv/books',
      port: 8099,
    });
  });

  it('each service has one process by default', () => {
    expect(readConfig({}).replicas).toBe(1);
    expect(readConfig({ PINKAS_REPLICAS: '2' }).replicas).toBe(2);
    for (const wrong of ['0', '1.5', '10', 'two']) {
      expect(() => readConfig({ PINKAS_REPLICAS: wrong })).toThrow(/PINKAS_REPLICAS/);
    }
  });

  it('the services share a process by default, and have one each with PINKAS_LAYOUT=separate or several replicas', () => {
    expect(readConfig({}).layout).toBe('one');
    expect(readConfig({ PINKAS_LAYOUT: 'separate' }).layout).toBe('separate');
    expect(readConfig({ PINKAS_REPLICAS: '2' }).layout).toBe('separate');
    expect(() => readConfig({ PINKAS_LAYOUT: 'two' })).toThrow(/PINKAS_LAYOUT must be one or separate/);
    expect(() => readConfig({ PINKAS_LAYOUT: 'one', PINKAS_REPLICAS: '2' })).toThrow(/PINKAS_REPLICAS/);
  });

  it('signatures have no time-stamp unless an authority is named', () => {
    expect(readConfig({}).timestampAuthorityUrl).toBeNull();
    const env = { TIMESTAMP_AUTHORITY_URL: 'http://127.0.0.1:3318/tsr' };
    expect(readConfig(env).timestampAuthorityUrl).toBe(env.TIMESTAMP_AUTHORITY_URL);
    expect(() => readConfig({ TIMESTAMP_AUTHORITY_URL: '127.0.0.1:3318' })).toThrow(
      /TIMESTAMP_AUTHORITY_URL/,
    );
  });

  it('the error names every invalid variable', () => {
    const read = () =>
      readConfig({ PINKAS_PORT: 'http', NATS_URL: 'localhost:4222', REDIS_URL: 'redis://x' });

    expect(read).toThrow(BadEnvironmentError);
    expect(read).toThrow(/PINKAS_PORT.*NATS_URL/s);
    expect(read).not.toThrow(/REDIS_URL/);
  });

  it('each user of an external NATS may have its own URL', () => {
    const env = { NATS_URL: 'nats://h:4222', NATS_URL_ISSUING: 'nats://issuing:a@h:4222' };
    expect(readConfig(env)).toMatchObject({ natsUrls: { issuing: env.NATS_URL_ISSUING } });
    expect(() => readConfig({ NATS_URL_ISSUING: 'http://h' })).toThrow(
      /NATS_URL_ISSUING.*NATS_URL must be set/s,
    );
  });

  it('services connect directly unless a proxy replaces the address of a variable', () => {
    expect(readConfig({}).proxies).toEqual({});
    expect(readConfig({ PINKAS_PROXIES: '{"NATS_URL":"127.0.0.1:4001"}' }).proxies).toEqual({
      NATS_URL: '127.0.0.1:4001',
    });
    for (const wrong of ['127.0.0.1:4001', '{"NATS_URL":4001}']) {
      expect(() => readConfig({ PINKAS_PROXIES: wrong })).toThrow(/PINKAS_PROXIES/);
    }
  });

  it('the parts do not inherit the variables of npm and Node', () => {
    const { inherited } = readConfig({ PATH: '/bin', npm_config_json: 'true', NODE_OPTIONS: '--inspect' });

    expect(inherited).toEqual({ PATH: '/bin' });
  });
});

describe('restartDelayMs', () => {
  it('a crashed part is restarted at once the first time, then after a delay that doubles up to 15 seconds', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 50].map(restartDelayMs)).toEqual([
      0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
    ]);
  });
});

describe('checkVersion', () => {
  let home: Home;
  beforeEach(() => {
    home = openHome(mkdtempSync(join(tmpdir(), 'pinkas-home-')));
  });
  afterEach(() => rmSync(home.path, { recursive: true }));

  it('a home is accepted again by the migrations that made it, and by later ones beside them', () => {
    checkVersion(home, { a: '1' });
    writeJson(home.secretsFile, {});
    checkVersion(home, { a: '1' });
    checkVersion(home, { a: '1', b: '2' });
    expect(() => checkVersion(home, { a: '1' })).toThrow('another version');
  });

  it('a home whose databases other migrations made is refused in one line, with the command that starts afresh', () => {
    checkVersion(home, { a: '1' });
    expect(() => checkVersion(home, { a: '2' })).toThrow(
      new RegExp(`^The data in ${home.path} is of another version .* rm -rf '${home.path}' && npm start$`),
    );
  });

  it('a home that says of no migration what made it is refused once a system has run there', () => {
    writeJson(home.secretsFile, {});
    expect(() => checkVersion(home, { a: '1' })).toThrow('To start afresh');
  });
});

describe('errorLine', () => {
  it('the error line is the message of the last error of a service', () => {
    const lines = [
      '{"level":30,"msg":"starting"}',
      '{"level":60,"msg":"the service could not start","err":{"message":"connect ECONNREFUSED"}}',
      '{"level":30,"msg":"closing"}',
    ];
    expect(errorLine(lines)).toBe('the service could not start: connect ECONNREFUSED');
  });

  it('the error line is the last line when no line is marked as an error', () => {
    expect(errorLine(['one', 'two'])).toBe('two');
    expect(errorLine([])).toBeNull();
  });

  it('the error line is the last line that a server marked as an error', () => {
    expect(errorLine(['FATAL:  could not bind', 'database system is shut down'])).toBe(
      'FATAL:  could not bind',
    );
  });
});
