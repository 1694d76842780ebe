import { createHash, X509Certificate } from 'node:crypto';
import { Certificate } from 'pkijs';
import { decode, parseDer } from './signed-data.js';

/** A certificate of a chain, as the libraries read it. */
export interface ChainCertificate {
  readonly der: Buffer;
  readonly parsed: Certificate;
  readonly x509: X509Certificate;
  /** SHA-256 of the certificate, in hex. */
  readonly fingerprint: string;
}

/** @throws InvalidDerError, or an error of Node where it is no certificate. */
export function chainCertificate(der: Buffer): ChainCertificate {
  const schema = parseDer(der);
  return {
    der,
    parsed: decode(() => new Certificate({ schema })),
    x509: new X509Certificate(der),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  };
}

/** Whether the one has signed the other, by its name and its key. */
export function isIssuerOf(issuer: ChainCertificate, certificate: ChainCertificate): boolean {
  return certificate.x509.checkIssued(issuer.x509) && isSignedBy(certificate, issuer);
}

/** Whether no one is above it: it has signed itself. Its key need not be one for certificates. */
export function isRoot(certificate: ChainCertificate): boolean {
  return certificate.x509.issuer === certificate.x509.subject && isSignedBy(certificate, certificate);
}

function isSignedBy(certificate: ChainCertificate, issuer: ChainCertificate): boolean {
  try {
    return certificate.x509.verify(issuer.x509.publicKey);
  } catch {
    // A key of another kind.
    return false;
  }
}
