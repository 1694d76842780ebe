import { describe, expect, it } from '@jest/globals';
import { BadEnvironmentError, readConfig, repositoryRoot } from './config.js';

describe('readConfig', () => {
  it('keeps its home in the clone and leaves the port open unless told otherwise', () => {
    expect(readConfig({})).toMatchObject({ home: `${repositoryRoot}/.pinkas`, port: null });
    expect(readConfig({ PINKAS_HOME: '/srv/books', PINKAS_PORT: '8099' })).toMatchObject({
      home: '/srv/books',
      port: 8099,
    });
  });

  it('runs one process of each service unless told otherwise', () => {
    expect(readConfig({}).replicas).toBe(1);
    expect(readConfig({ PINKAS_REPLICAS: '2' }).replicas).toBe(2);
    for (const wrong of ['0', '1.5', '10', 'two'])
      expect(() => readConfig({ PINKAS_REPLICAS: wrong })).toThrow(/PINKAS_REPLICAS/);
  });

  it('names every bad variable at once', () => {
    const read = () =>
      readConfig({ PINKAS_PORT: 'http', NATS_URL: 'localhost:4222', REDIS_URL: 'redis://x' });

    expect(read).toThrow(BadEnvironmentError);
    expect(read).toThrow(/PINKAS_PORT.*NATS_URL/s);
    expect(read).not.toThrow(/REDIS_URL/);
  });

  it('does not hand the switches of npm and Node down to the parts', () => {
    const { inherited } = readConfig({ PATH: '/bin', npm_config_json: 'true', NODE_OPTIONS: '--inspect' });

    expect(inherited).toEqual({ PATH: '/bin' });
  });
});
