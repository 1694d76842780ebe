import { createHash, randomBytes, verify, X509Certificate } from 'node:crypto';
import { P12Signer } from '@libpdf/core';
import { certificateParts } from './certificate-parts.js';

/** A certificate with its key, and the certificates above it. */
export interface SigningCertificate {
  readonly der: Buffer;
  /** SHA-256 of the certificate. */
  readonly fingerprint: Buffer;
  /** Those between it and its root, as far as the file has them. */
  readonly chain: readonly Buffer[];
  /** The issuer's name and the number that it gave, as they are encoded in the certificate. */
  readonly issuer: Buffer;
  readonly serialNumber: Buffer;
  readonly keyType: 'rsa' | 'ec';
  /** Whose it is, in the certificate's words. */
  readonly subject: string;
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** Signs the SHA-256 of the bytes. */
  sign(bytes: Buffer): Promise<Buffer>;
}

/** The least of an RSA key that signatures are trusted of (ETSI TS 119 312). */
const rsaBitsMin = 2_048;

/**
 * Reads a PKCS#12 file.
 * @throws Error that says in half a sentence what is wrong with it.
 */
export async function readSigningCertificate(p12: Uint8Array, password: string): Promise<SigningCertificate> {
  let signer: P12Signer;
  try {
    signer = await P12Signer.create(p12, password);
  } catch (error) {
    throw new Error('it is no PKCS#12 file with a key and a certificate, or the password is wrong', {
      cause: error,
    });
  }
  const sign = async (bytes: Buffer) => Buffer.from(await signer.sign(bytes, 'SHA-256'));
  const all = [signer.certificate, ...signer.certificateChain].map((der) => Buffer.from(der));
  // A file may hold them in any order; the one that signs is the one that fits the key.
  const challenge = randomBytes(32);
  const answer = await sign(challenge);
  const der = all.find((one) => isSignedBy(new X509Certificate(one), challenge, answer));
  if (!der) throw new Error('its key belongs to none of its certificates');
  const certificate = new X509Certificate(der);
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  const bits = asymmetricKeyDetails?.modulusLength ?? rsaBitsMin;
  if (bits < rsaBitsMin) throw new Error(`its key of ${bits} bits is too weak, ${rsaBitsMin} are needed`);
  const { issuer, serialNumber, maySign } = certificateParts(der);
  if (!maySign) throw new Error('its certificate is not made for signatures (key usage digitalSignature)');
  const [name] = [certificate.toLegacyObject().subject.CN].flat();
  return {
    der,
    fingerprint: createHash('sha256').update(der).digest(),
    chain: all.filter((one) => one !== der),
    issuer,
    serialNumber,
    keyType: asymmetricKeyType === 'rsa' ? 'rsa' : 'ec',
    subject: name ?? certificate.subject.replaceAll('\n', ', '),
    validFrom: new Date(certificate.validFrom),
    validUntil: new Date(certificate.validTo),
    sign,
  };
}

/** Whether the key of a certificate has made a signature, over the SHA-256 of the bytes. */
function isSignedBy(certificate: X509Certificate, bytes: Buffer, signature: Buffer): boolean {
  try {
    return verify('sha256', bytes, certificate.publicKey, signature);
  } catch {
    // A key of another kind.
    return false;
  }
}
