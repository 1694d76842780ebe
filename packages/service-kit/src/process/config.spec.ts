import { describe, expect, it } from '@jest/globals';
import { ConfigError, environmentOf, readConfig, serviceFields } from './config.js';
import { flag, hexBytes, integer, share, text, url } from './env-field.js';
import { isPlaceholder } from './secrets-check.js';

const fields = {
  name: text('NAME', { meaning: 'A name.', example: 'a' }),
  size: integer('SIZE', { meaning: 'A size.', example: '3', fallback: 3, min: 1, max: 9 }),
  part: share('PART', { meaning: 'A share.', example: '0.5', fallback: 1 }),
  on: flag('ON', { meaning: 'A switch.', example: 'true', fallback: false }),
  address: url('ADDRESS', { meaning: 'An address.', example: 'http://a', protocols: ['http:', 'https:'] }),
  secret: hexBytes('SECRET', { meaning: 'A secret.', example: '00ff', bytes: 2, secret: true }),
};
const database = {
  url: url('DATABASE_URL', {
    meaning: 'A database.',
    example: 'postgres://one:secret@127.0.0.1/one',
    protocols: ['postgres:'],
    secret: true,
  }),
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

describe('environmentOf', () => {
  it('a service of several in a process has the variables of all, and its own in their place', () => {
    const env = {
      LOG_LEVEL: 'warn',
      NATS_URL: 'nats://all',
      ISSUING_NATS_URL: 'nats://issuing',
      HEALTH_PORT: '9101',
    };
    expect(environmentOf('issuing', env)).toMatchObject({ LOG_LEVEL: 'warn', NATS_URL: 'nats://issuing' });
    expect(environmentOf('customer', env)).toMatchObject({ LOG_LEVEL: 'warn', NATS_URL: 'nats://all' });
  });

  it('its probes do not take the port of the process', () => {
    const env = { HEALTH_PORT: '9101', ISSUING_HEALTH_PORT: '9102' };
    expect([environmentOf('issuing', env), environmentOf('customer', env)]).toMatchObject([
      { HEALTH_PORT: '9102' },
      { HEALTH_PORT: '0' },
    ]);
  });
});

describe('isPlaceholder', () => {
  it.each([
    ['secret', 'elsewhere'],
    ['change-me', ''],
    ['CHANGE_ME_PLEASE', ''],
    ['your password here', ''],
    ['<replace this>', ''],
    ['fedcba9876543210', 'fedcba9876543210'],
    ['0'.repeat(64), ''],
    ['1234567890123456', ''],
    ['admin123', ''],
    ['insert-your-token-here', ''],
    ['abababababababab', ''],
    ['postgres://one:postgres@127.0.0.1/one', ''],
    ['nats://issuing:secret@127.0.0.1:4222', ''],
    ['tls://nats-1:4222,tls://issuing:change-me@nats-0:4222', ''],
  ])('isPlaceholder is true for %s', (given, example) => {
    expect(isPlaceholder(given, example)).toBe(true);
  });

  it.each([
    'postgres://one:c81e728d9d4c2f636f067f89cc14862c@127.0.0.1/secret',
    'c81e728d9d4c2f636f067f89cc14862c',
    'Testament-of-7-Secretaries',
    // Random texts that happen to begin as placeholders do.
    'nats://issuing:1234d2c1b2f09ad4466fc7ba8f2c7ef1a907@127.0.0.1:4222',
    'My4kTheQ0pLw-someX2',
    '0000c3f05a8e71b2',
    // It may be known by a certificate.
    'postgres://one@127.0.0.1/one',
  ])('isPlaceholder is false for %s', (given) => {
    expect(isPlaceholder(given, 'postgres://one:secret@127.0.0.1/one')).toBe(false);
  });
});

describe('readConfig for real documents', () => {
  const fields = { production: serviceFields.production, natsUrl: serviceFields.natsUrl, ...database };
  const env = {
    NATS_URL: 'nats://issuing:9b74c9897bac770f@127.0.0.1:4222',
    DATABASE_URL: 'postgres://one:c81e728d9d4c2f63@127.0.0.1/one',
  };

  it('an environment is for real documents by default', () => {
    expect(readConfig(fields, env).production).toBe(true);
  });

  it('readConfig names all placeholders at once without their values', () => {
    const more = {
      ...fields,
      key: hexBytes('KEY', { meaning: 'A key.', example: 'aa', bytes: 2, secret: true }),
      name: text('NAME', { meaning: 'A name.', example: 'secret' }),
    };
    const read = () =>
      readConfig(more, {
        ...env,
        DATABASE_URL: 'postgres://one:changeme@127.0.0.1/one',
        KEY: '0000',
        NAME: 'secret',
      });
    expect(read).toThrow(/DATABASE_URL is a placeholder[\s\S]*KEY is a placeholder/);
    expect(read).not.toThrow(/changeme|0000|NAME/);
  });

  it.each([
    ['http://console.example.com', 'refused'],
    ['HTTP://127.0.0.1.example.com', 'refused'],
    ['http://10.0.0.1', 'refused'],
    ['https://console.example.com', 'read'],
    ['http://localhost:8090', 'read'],
    ['http://127.0.0.1', 'read'],
    ['http://[::1]:8090', 'read'],
  ])('an address that must have TLS for real documents: %s is %s', (address, outcome) => {
    const more = {
      ...fields,
      at: url('AT', { meaning: 'x.', example: 'x', protocols: ['http:', 'https:'], tls: true }),
      any: url('ANY', { meaning: 'x.', example: 'x', protocols: ['http:'], fallback: '' }),
    };
    const read = (production: string) => () =>
      readConfig(more, { ...env, AT: address, ANY: 'http://10.0.0.1', PRODUCTION: production });
    if (outcome === 'refused') {
      expect(read('true')).toThrow('AT begins with http:');
      expect(read('true')).not.toThrow('ANY');
    } else {
      expect(read('true')().at).toBe(address);
    }
    expect(read('false')().at).toBe(address);
  });

  it('an environment for real documents needs a NATS user', () => {
    const open = { ...env, NATS_URL: 'nats://127.0.0.1:4222' };
    expect(() => readConfig(fields, open)).toThrow('NATS_URL has no user');
    expect(readConfig(fields, { ...open, PRODUCTION: 'false' }).natsUrl).toBe(open.NATS_URL);
  });
});
