import { describe, expect, it } from '@jest/globals';
import { BadEnvironmentError, readConfig, repositoryRoot } from './config.js';

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
