import { createHash } from 'node:crypto';
import {
  explicit,
  identifier,
  implicit,
  integer,
  nothing,
  octetString,
  sequence,
  setOf,
} from './der-encoding.js';
import type { SigningCertificate } from './signing-certificate.js';

const oid = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  signatureTimeStampToken: '1.2.840.113549.1.9.16.2.14',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  sha256WithEcdsa: '1.2.840.10045.4.3.2',
} as const;

/**
 * Signs a digest: CMS signed data without its content (RFC 5652) with the attributes of PAdES baseline B-B (ETSI EN 319
 * 142-1, 6.3): content type, message digest, the signing certificate by its SHA-256, and no signing time, which stands in the
 * PDF's own dictionary.
 * @param digest SHA-256 of what is signed.
 * @param stampFor makes a time-stamp token for the value of the signature (baseline B-T), or null where there is to be none.
 */
export async function signedData(
  digest: Buffer,
  certificate: SigningCertificate,
  stampFor: (signatureValue: Buffer) => Promise<Buffer | null>,
): Promise<Buffer> {
  const sha256 = sequence(identifier(oid.sha256));
  const attributes = setOf(
    attribute(oid.contentType, identifier(oid.data)),
    attribute(oid.messageDigest, octetString(digest)),
    attribute(oid.signingCertificateV2, sequence(sequence(certificateId(certificate)))),
  );
  const signature = await certificate.sign(attributes);
  const stamp = await stampFor(signature);
  const signer = sequence(
    integer(Buffer.from([1])),
    sequence(certificate.issuer, certificate.serialNumber),
    sha256,
    implicit(0, attributes),
    certificate.keyType === 'rsa'
      ? sequence(identifier(oid.sha256WithRsa), nothing())
      : sequence(identifier(oid.sha256WithEcdsa)),
    octetString(signature),
    ...(stamp === null ? [] : [implicit(1, setOf(attribute(oid.signatureTimeStampToken, stamp)))]),
  );
  return sequence(
    identifier(oid.signedData),
    explicit(
      0,
      sequence(
        integer(Buffer.from([1])),
        setOf(sha256),
        sequence(identifier(oid.data)),
        implicit(0, setOf(certificate.der, ...certificate.chain)),
        setOf(signer),
      ),
    ),
  );
}

const attribute = (type: string, ...values: Buffer[]): Buffer => sequence(identifier(type), setOf(...values));

/** ESSCertIDv2 (RFC 5035): SHA-256 is not named, since it is what DER's default says. */
function certificateId({ der, issuer, serialNumber }: SigningCertificate): Buffer {
  const directoryName = explicit(4, issuer);
  return sequence(
    octetString(createHash('sha256').update(der).digest()),
    sequence(sequence(directoryName), serialNumber),
  );
}
