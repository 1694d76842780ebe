import type { BitString } from 'asn1js';
import type { Certificate, ExtKeyUsage } from 'pkijs';
import { oid } from './object-identifiers.js';

/** digitalSignature and nonRepudiation, the two highest bits of the first octet (RFC 5280, 4.2.1.3). */
const signatureBits = 0b1100_0000;

export const extensionOf = (certificate: Certificate, id: string) =>
  certificate.extensions?.find(({ extnID }) => extnID === id);

/** Whether the key may sign; a certificate without key usage allows everything. */
export function maySign(certificate: Certificate): boolean {
  const usage = extensionOf(certificate, oid.keyUsage)?.parsedValue as BitString | undefined;
  return usage === undefined || ((usage.valueBlock.valueHexView[0] ?? 0) & signatureBits) !== 0;
}

/** Whether its issuer lets the key sign OCSP replies, for as long as the certificate is valid (RFC 6960, 4.2.2.2). */
export function signsOcspReplies(certificate: Certificate): boolean {
  const purposes = (extensionOf(certificate, oid.extendedKeyUsage)?.parsedValue as ExtKeyUsage | undefined)
    ?.keyPurposes;
  return (
    purposes?.includes(oid.ocspSigning) === true && extensionOf(certificate, oid.ocspNoCheck) !== undefined
  );
}

/** Whether the key signs time-stamps and nothing else, as RFC 3161 (2.3) demands. */
export function isTimestampingOnly(certificate: Certificate): boolean {
  const extension = extensionOf(certificate, oid.extendedKeyUsage);
  const purposes = (extension?.parsedValue as ExtKeyUsage | undefined)?.keyPurposes;
  return extension?.critical === true && purposes?.join() === oid.timeStamping;
}
