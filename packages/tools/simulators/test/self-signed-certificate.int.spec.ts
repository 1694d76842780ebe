import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSelfSignedP12 } from '../src/index.js';

const run = promisify(execFile);

describe('createSelfSignedP12', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'self-signed-'));
    file = join(folder, 'certificate.p12');
    await writeFile(file, await createSelfSignedP12({ commonName: 'דוגמה', password: 'secret', years: 40 }));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const openssl = async (...args: string[]) => (await run('openssl', args)).stdout;

  it('the certificate has a P-256 key for signatures, is its own issuer and is valid for the given years', async () => {
    const pem = await openssl('pkcs12', '-in', file, '-passin', 'pass:secret', '-nokeys');
    const certificate = new X509Certificate(pem);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.subject).toBe('CN=דוגמה');
    expect(certificate.issuer).toBe(certificate.subject);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(new Date(certificate.validTo).getFullYear()).toBe(new Date().getFullYear() + 40);
    await writeFile(join(folder, 'certificate.pem'), pem);
    const text = await openssl('x509', '-in', join(folder, 'certificate.pem'), '-noout', '-text');
    expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature, Non Repudiation\n/);
    expect(text).toContain('ecdsa-with-SHA256');
  });

  it('the key is that of the certificate, in AES-256 under the password', async () => {
    const key = await openssl('pkcs12', '-in', file, '-passin', 'pass:secret', '-nocerts', '-nodes');
    const pem = await openssl('pkcs12', '-in', file, '-passin', 'pass:secret', '-nokeys');
    expect(new X509Certificate(pem).checkPrivateKey(createPrivateKey(key))).toBe(true);
    const { stderr } = await run('openssl', [
      'pkcs12',
      '-in',
      file,
      '-passin',
      'pass:secret',
      '-noout',
      '-info',
    ]);
    expect(stderr).toContain('AES-256-CBC');
    await expect(openssl('pkcs12', '-in', file, '-passin', 'pass:other', '-noout')).rejects.toThrow(
      'Mac verify error',
    );
  });
});
