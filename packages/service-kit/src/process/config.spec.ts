import { describe, expect, it } from '@jest/globals';
import { ConfigError, flag, hexBytes, integer, readConfig, share, text, url } from './config.js';

const fields = {
  name: text('NAME', { meaning: 'A name.', example: 'a' }),
  size: integer('SIZE', { meaning: 'A size.', example: '3', fallback: 3, min: 1, max: 9 }),
  part: share('PART', { meaning: 'A share.', example: '0.5', fallback: 1 }),
  on: flag('ON', { meaning: 'A switch.', example: 'true', fallback: false }),
  address: url('ADDRESS', { meaning: 'An address.', example: 'http://a', protocols: ['http:', 'https:'] }),
  secret: hexBytes('SECRET', { meaning: 'A secret.', example: '00ff', bytes: 2, secret: true }),
};

describe('the configuration of a process', () => {
  it("readEnvironment takes the environment's values and the fallbacks of missing ones", () => {
    const config = readConfig(fields, { NAME: 'x', ADDRESS: 'http://host/path/', SECRET: '00FF', SIZE: '' });
    expect(config).toEqual({
      name: 'x',
      size: 3,
      part: 1,
      on: false,
      address: 'http://host/path',
      secret: Buffer.from([0, 255]),
    });
  });

  it('a share is a number from 0 to 1', () => {
    const given = { NAME: 'x', ADDRESS: 'http://host', SECRET: '00ff' };
    for (const part of [0, 0.05, 1]) {
      expect(readConfig(fields, { ...given, PART: String(part) }).part).toBe(part);
    }
    for (const PART of ['-0.1', '1.1', 'all', 'NaN']) {
      expect(() => readConfig(fields, { ...given, PART })).toThrow('from 0 to 1');
    }
  });

  it('readEnvironment reports every bad variable at once and prints no value', () => {
    const read = () =>
      readConfig(fields, { SIZE: '10', ON: 'yes', ADDRESS: 'ftp://host', SECRET: 'topsecret' });
    expect(read).toThrow(ConfigError);
    for (const name of ['NAME', 'SIZE', 'ON', 'ADDRESS', 'SECRET']) {
      expect(read).toThrow(name);
    }
    expect(read).not.toThrow('topsecret');
  });
});
