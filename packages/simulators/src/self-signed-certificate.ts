import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

const rsaBits = 2048;

/**
 * Makes a key and a certificate that is its own issuer, for signatures that nobody outside needs to trust.
 *
 * @param options - `commonName`: whom the signature names; `password`: opens the file; `years`: how long it is valid.
 * @returns the PKCS#12 file (AES-256).
 */
export async function createSelfSignedP12(options: {
  commonName: string;
  password: string;
  years: number;
}): Promise<Uint8Array> {
  // Node makes the key in the background within 0.1 s; forge alone would block for seconds.
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: rsaBits });
  const key = forge.pki.privateKeyFromPem(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());

  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  );
  // Positive as ASN.1 wants it: the highest bit is zero.
  certificate.serialNumber = `0${randomBytes(16).toString('hex').slice(1)}`;
  certificate.validity.notBefore = new Date();
  certificate.validity.notAfter = new Date();
  certificate.validity.notAfter.setFullYear(certificate.validity.notAfter.getFullYear() + options.years);
  const name = [{ name: 'commonName', value: options.commonName }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, nonRepudiation: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(key, forge.md.sha256.create());

  const p12 = forge.pkcs12.toPkcs12Asn1(key, [certificate], options.password, {
    algorithm: 'aes256',
    friendlyName: options.commonName,
  });
  return Buffer.from(forge.asn1.toDer(p12).getBytes(), 'binary');
}
