import { createHash, randomBytes, verify, X509Certificate } from 'node:crypto';
import { P12Signer } from '@libpdf/core';
import { Certificate } from 'pkijs';
import { maySign } from './certificate-usage.js';
import { decode, parseDer } from './signed-data.js';

/** A certificate with its key, and the certificates above it. */
export interface SigningCertificate {
  readonly der: Buffer;
  readonly x509: Certificate;
  /** SHA-256 of the certificate. */
  readonly fingerprint: Buffer;
  /** The other certificates of the file. */
  readonly others: readonly Buffer[];
  /** It and those between it and its root, as far as the file has them, in DER's order of a SET. */
  readonly certificates: readonly Certificate[];
  readonly keyType: 'rsa' | 'ec';
  /** Why its key is not good for seven years, as half a sentence, or null. */
  readonly weakness: string | null;
  /** The common name, or the whole name where it has none. */
  readonly subject: string;
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** Signs the SHA-256 of the bytes. */
  sign(bytes: Buffer): Promise<Buffer>;
}

/** The shortest RSA key of trusted signatures until the end of 2028, and of those after it (ETSI TS 119 312). */
const rsaBitsMin = 2_048;
const rsaBitsFrom2029 = 3_072;

/**
 * Reads a PKCS#12 file.
 * @throws Error whose message is half a sentence about the file.
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
  // A file may have them in any order: the certificate of the key is the one that verifies its signature.
  const challenge = randomBytes(32);
  const answer = await sign(challenge);
  const der = all.find((item) => isSignedBy(new X509Certificate(item), challenge, answer));
  if (!der) {
    throw new Error('its key belongs to none of its certificates');
  }
  const certificate = new X509Certificate(der);
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  const bits = asymmetricKeyDetails?.modulusLength ?? rsaBitsFrom2029;
  if (bits < rsaBitsMin) {
    throw new Error(`its key of ${bits} bits is too weak, ${rsaBitsMin} are needed`);
  }
  const x509 = parseCertificate(der);
  if (!maySign(x509)) {
    throw new Error('its certificate is not made for signatures (key usage digitalSignature)');
  }
  const [name] = [certificate.toLegacyObject().subject.CN].flat();
  return {
    der,
    x509,
    others: all.filter((item) => item !== der),
    fingerprint: createHash('sha256').update(der).digest(),
    certificates: [...all].sort(Buffer.compare).map(parseCertificate),
    keyType: asymmetricKeyType === 'rsa' ? 'rsa' : 'ec',
    weakness:
      bits < rsaBitsFrom2029
        ? `its RSA key of ${bits} bits is accepted until the end of 2028 only: use P-256 or RSA of ${rsaBitsFrom2029} bits`
        : null,
    subject: name ?? certificate.subject.replaceAll('\n', ', '),
    validFrom: new Date(certificate.validFrom),
    validUntil: new Date(certificate.validTo),
    sign,
  };
}

const parseCertificate = (der: Buffer): Certificate => {
  const schema = parseDer(der);
  return decode(() => new Certificate({ schema }));
};

/** Whether the key of a certificate has made a signature over the SHA-256 of the bytes. */
function isSignedBy(certificate: X509Certificate, bytes: Buffer, signature: Buffer): boolean {
  try {
    return verify('sha256', bytes, certificate.publicKey, signature);
  } catch {
    // A key of another kind.
    return false;
  }
}
