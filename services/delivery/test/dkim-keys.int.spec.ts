import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError } from '@pinkas/service-kit/config';
import { readDkimKeys } from '../src/mail/dkim-keys.js';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const rsa = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export(pem).toString();

describe('readDkimKeys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-dkim-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);

  it('readDkimKeys reads domain and selector of the name of each file', async () => {
    const key = rsa(2048);
    await write('pinkas._domainkey.shop.example.com.pem', key);
    await write('a.2026._domainkey.example.org.pem', key);
    await write('README', 'no key');
    expect([...readDkimKeys(folder).values()].map(({ domain, selector }) => [domain, selector])).toEqual([
      ['example.org', 'a.2026'],
      ['shop.example.com', 'pinkas'],
    ]);
  });

  it.each([
    [
      'a key that the mail library cannot sign with',
      {
        'a._domainkey.example.com.pem': () =>
          generateKeyPairSync('ed25519').privateKey.export(pem).toString(),
      },
      'with a key of type ed25519: emails are signed with RSA keys only',
    ],
    ['a short key', { 'a._domainkey.example.com.pem': () => rsa(1024) }, '1024 bits'],
    ['a file that is no key', { 'a._domainkey.example.com.pem': () => 'no key' }, 'not a private key'],
    ['a name without a selector', { 'example.com.pem': () => rsa(2048) }, 'name it <selector>._domainkey'],
    [
      'two keys of one domain',
      { 'a._domainkey.example.com.pem': () => rsa(2048), 'b._domainkey.example.com.pem': () => rsa(2048) },
      'two keys for example.com',
    ],
    ['an empty folder', {}, 'has no key'],
  ])('readDkimKeys refuses %s', async (_what, files, reason) => {
    for (const [name, text] of Object.entries(files)) {
      await write(name, text());
    }
    expect(() => readDkimKeys(folder)).toThrow(ConfigError);
    expect(() => readDkimKeys(folder)).toThrow(reason);
  });

  it('readDkimKeys refuses a folder that cannot be read', () => {
    expect(() => readDkimKeys(join(folder, 'absent'))).toThrow('cannot be read');
  });
});
