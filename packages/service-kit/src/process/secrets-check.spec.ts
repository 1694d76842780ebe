import { describe, expect, it } from '@jest/globals';
import { hexBytes, readConfig, serviceFields, text, url } from './config.js';
import { isPlaceholder } from './secrets-check.js';

const database = {
  url: url('DATABASE_URL', {
    meaning: 'A database.',
    example: 'postgres://one:secret@127.0.0.1/one',
    protocols: ['postgres:'],
    secret: true,
  }),
};

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

  it('an environment for real documents needs a NATS user', () => {
    const open = { ...env, NATS_URL: 'nats://127.0.0.1:4222' };
    expect(() => readConfig(fields, open)).toThrow('NATS_URL has no user');
    expect(readConfig(fields, { ...open, PRODUCTION: 'false' }).natsUrl).toBe(open.NATS_URL);
  });
});
