import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import forge from 'node-forge';

const run = promisify(execFile);

/** A certificate with its key, in PEM. */
export interface TestCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** Runs openssl in a folder with `files`, and returns the files that `read` names. */
export async function openssl(
  args: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>>,
  read: readonly string[] = [],
): Promise<{ stdout: string; files: Buffer[] }> {
  const folder = await mkdtemp(join(process.env.PINKAS_TEST_HOME ?? tmpdir(), 'openssl-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, name), content);
    }
    const { stdout } = await run('openssl', args, { cwd: folder, timeout: 60_000 });
    return { stdout, files: await Promise.all(read.map((name) => readFile(join(folder, name)))) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Issues a certificate for a year.
 * @param extensions in openssl's words, such as `keyUsage=critical,digitalSignature`.
 * @param options `issuer`: who signs it, else it signs itself; `algorithm`: the kind of its key, for openssl; `like`: another one,
 * whose key and number it has.
 */
export async function issueCertificate(
  name: string,
  extensions: readonly string[],
  options: { issuer?: TestCertificate; algorithm?: readonly string[]; like?: TestCertificate } = {},
): Promise<TestCertificate> {
  const { issuer, algorithm = ['-newkey', 'rsa:2048'], like } = options;
  const keyed = like
    ? ['-key', 'like.pem', '-set_serial', `0x${new X509Certificate(like.certificate).serialNumber}`]
    : [...algorithm, '-keyout', 'key.pem'];
  const made = await openssl(
    [
      ...['req', '-x509', '-nodes', ...keyed, '-days', '365', '-subj', `/O=Example Ltd/CN=${name}`],
      ...['-config', 'openssl.cnf', '-utf8', '-out', 'certificate.pem'],
      ...extensions.flatMap((extension) => ['-addext', extension]),
    ],
    // Nothing of what a machine's own settings would add.
    { 'openssl.cnf': '[req]\ndistinguished_name=name\n[name]\n', 'like.pem': like?.key ?? '' },
    [like ? 'like.pem' : 'key.pem', 'certificate.pem'],
  );
  const [key, self] = made.files.map(String) as [string, string];
  if (!issuer) {
    return { key, certificate: self };
  }
  const issued = await openssl(
    [
      ...['x509', '-in', 'self.pem', '-CA', 'issuer.pem', '-CAkey', 'issuer-key.pem', '-CAcreateserial'],
      ...['-days', '365', '-out', 'certificate.pem'],
    ],
    { 'self.pem': self, 'issuer.pem': issuer.certificate, 'issuer-key.pem': issuer.key },
    ['certificate.pem'],
  );
  return { key, certificate: String(issued.files[0]) };
}

/** A PKCS#12 file with a key and certificates in just that order, whether they belong together or not. */
export function p12Of(key: string, certificates: readonly string[], password: string): Buffer {
  const p12 = forge.pkcs12.toPkcs12Asn1(
    forge.pki.privateKeyFromPem(key),
    certificates.map((pem) => forge.pki.certificateFromPem(pem)),
    password,
    { algorithm: 'aes256', generateLocalKeyId: false },
  );
  return Buffer.from(forge.asn1.toDer(p12).getBytes(), 'binary');
}
