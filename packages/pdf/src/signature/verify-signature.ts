import { createHash, verify, X509Certificate } from 'node:crypto';
import { GeneralizedTime, ObjectIdentifier, UTCTime } from 'asn1js';
import { isSecurityStore } from '../file/security-store.js';
import { oid, signatureDigestNames } from './object-identifiers.js';
import { signatureRanges } from './signature-range.js';
import {
  certificateHash,
  decodeSignedData,
  InvalidDerError,
  isSignerOf,
  octets,
  type ParsedSignedData,
  parseSignedData,
  plainAlgorithm,
  signedAttribute,
  unsignedAttribute,
} from './signed-data.js';
import { InvalidTimestampError, type VerifiedTimestamp, verifyTimestamp } from './timestamp-token.js';

/** The file has no valid signature. The message is half a sentence that says why. */
class InvalidSignatureError extends Error {
  override readonly name = 'InvalidSignatureError';
}

/**
 * Verifies the one signature of a PDF as a PDF reader does, without trusting where it was stored (PAdES baseline B-B: ETSI EN
 * 319 142-1; CMS: RFC 5652, 5.4): it covers the complete file but for itself and the proofs for its
 * certificates behind it, the digest in it is the file's, the signer's
 * key has signed that digest together with the certificate's own, and the certificate was valid at the claimed time.
 * Whom the certificate belongs to, and who has issued it, is not checked.
 * @param certificateSha256 the certificate that is known to have signed.
 * @param revokedAt since when it is revoked; null: it is not, as far as it is known.
 * @returns why the signature is not valid, as half a sentence; null: it is valid.
 */
export function verifySignature(
  pdf: Buffer,
  certificateSha256: Buffer,
  revokedAt: Date | null = null,
): string | null {
  return reasonOf(() => void verifyPdf(pdf, certificateSha256, revokedAt));
}

/** The valid signature of a PDF: who has signed it when, by its own words, and its time-stamp, where it has one. */
export interface FileSignature {
  /** The common name in the certificate, or the whole name where it has none. */
  readonly subject: string;
  readonly at: Date;
  readonly timestamp: VerifiedTimestamp | null;
}

/**
 * Verifies the signature of a PDF as `verifySignature` does, and its time-stamp. A time-stamp brings a key of its own: only for a
 * file whose hash is known.
 * @returns why it is not valid, as half a sentence, or the signature.
 */
export function readSignature(
  pdf: Buffer,
  certificateSha256: Buffer,
  revokedAt: Date | null = null,
):
  | { readonly reason: string; readonly signature: null }
  | { readonly reason: null; readonly signature: FileSignature } {
  let signature: FileSignature | null = null;
  const reason = reasonOf(() => {
    const { certificate, at, cms } = verifyPdf(pdf, certificateSha256, revokedAt);
    signature = { subject: nameOf(certificate), at, timestamp: timestampIn(cms, at) };
  });
  return signature === null
    ? { reason: reason ?? 'there is no signature', signature }
    : { reason: null, signature };
}

function nameOf(certificate: X509Certificate): string {
  const [name] = [certificate.toLegacyObject().subject.CN].flat();
  return name ?? certificate.subject.replaceAll('\n', ', ');
}

/** A detached signature: why it is not valid, or null; and its time-stamp, where it has one. */
export interface DetachedVerification {
  readonly reason: string | null;
  readonly timestamp: VerifiedTimestamp | null;
}

/**
 * Verifies a signature that is detached from what it is of, as `verifySignature` does that of a PDF, and its time-stamp.
 * @param at when it states that it was signed.
 */
export function verifyDetached(
  content: Buffer,
  signature: Buffer,
  certificateSha256: Buffer,
  at: Date,
): DetachedVerification {
  let timestamp: VerifiedTimestamp | null = null;
  const reason = reasonOf(() => {
    verifySigned([content], signature, certificateSha256, () => at, null);
    timestamp = timestampOf(signature, at);
  });
  return { reason, timestamp: reason === null ? timestamp : null };
}

function timestampOf(signature: Buffer, at: Date): VerifiedTimestamp | null {
  return timestampIn(decodeSignedData(parseSignedData(signature)), at);
}

function timestampIn(cms: ParsedSignedData, at: Date): VerifiedTimestamp | null {
  const token = unsignedAttribute(cms, oid.signatureTimeStampToken);
  try {
    return token && verifyTimestamp(Buffer.from(token.toBER()), cms.signature, at);
  } catch (error) {
    throw error instanceof InvalidTimestampError ? new InvalidSignatureError(error.message) : error;
  }
}

function reasonOf(verification: () => void): string | null {
  try {
    verification();
    return null;
  } catch (error) {
    if (error instanceof InvalidSignatureError) {
      return error.message;
    }
    if (error instanceof InvalidDerError) {
      return `the signature cannot be read: ${error.message}`;
    }
    throw error;
  }
}

function verifyPdf(pdf: Buffer, certificateSha256: Buffer, revokedAt: Date | null): VerifiedSigner {
  const { signed, signature } = partsOf(pdf);
  return verifySigned(signed, signature, certificateSha256, (cms) => claimedTime(signed[0], cms), revokedAt);
}

interface VerifiedSigner {
  readonly certificate: X509Certificate;
  /** When it claims to have signed. */
  readonly at: Date;
  readonly cms: ParsedSignedData;
}

function verifySigned(
  signed: readonly Buffer[],
  signature: Buffer,
  certificateSha256: Buffer,
  timeOf: (cms: ParsedSignedData) => Date,
  revokedAt: Date | null,
): VerifiedSigner {
  const syntax = parseSignedData(signature);
  // The placeholder of the signature is filled up with zeros.
  if (syntax.rest.some((octet) => octet !== 0)) {
    throw new InvalidSignatureError('bytes follow the signature');
  }
  if (!syntax.certificates.some((der) => sha256(der).equals(certificateSha256))) {
    throw new InvalidSignatureError('the signature is of another certificate');
  }
  const cms = decodeSignedData(syntax);
  checkForm(cms);
  const certificate = cms.certificates.find(({ der }) => sha256(der).equals(certificateSha256));
  if (!certificate || !isSignerOf(cms, certificate)) {
    throw new InvalidSignatureError('the signature names another certificate');
  }
  const contentType = required(cms, oid.contentType);
  if (!(contentType instanceof ObjectIdentifier && contentType.getValue() === oid.data)) {
    throw new InvalidSignatureError('the signature is not of a file');
  }
  const digest = createHash(cms.digest);
  for (const part of signed) {
    digest.update(part);
  }
  if (!octets(required(cms, oid.messageDigest)).equals(digest.digest())) {
    throw new InvalidSignatureError('the file was changed after it was signed');
  }
  if (!certificateHash(required(cms, oid.signingCertificateV2)).hash.equals(certificateSha256)) {
    throw new InvalidSignatureError('the signature names another certificate');
  }
  const x509 = new X509Certificate(certificate.der);
  const at = timeOf(cms);
  if (Number.isNaN(at.getTime())) {
    throw new InvalidSignatureError('the time of the signature does not exist');
  }
  if (at < new Date(x509.validFrom) || at > new Date(x509.validTo)) {
    throw new InvalidSignatureError('the certificate was not valid when it signed');
  }
  // A signature claims its time in whole seconds.
  if (revokedAt && at.getTime() + 1_000 > revokedAt.getTime()) {
    throw new InvalidSignatureError(
      `the certificate was revoked on ${revokedAt.toISOString().slice(0, 10)}, before it signed`,
    );
  }
  if (!isSignedBy(x509, cms)) {
    throw new InvalidSignatureError('the signature is not of the key of its certificate');
  }
  return { certificate: x509, at, cms };
}

/** What PAdES leaves no choice in: versions, a detached PDF, one digest everywhere, no revocation lists in CMS. */
function checkForm({ signedData, signer, digest }: ParsedSignedData): void {
  const { version, digestAlgorithms, encapContentInfo, crls } = signedData;
  const [digestAlgorithm, another] = digestAlgorithms;
  const algorithm = plainAlgorithm(signer.signatureAlgorithm);
  const isOurForm =
    version === 1 &&
    signer.version === 1 &&
    encapContentInfo.eContentType === oid.data &&
    !encapContentInfo.eContent &&
    !crls?.length &&
    (algorithm === oid.rsaEncryption || signatureDigestNames.get(algorithm) === digest);
  if (!isOurForm) {
    throw new InvalidSignatureError('the signature cannot be read: it has another form');
  }
  if (!digestAlgorithm || another || plainAlgorithm(digestAlgorithm) !== signer.digestAlgorithm.algorithmId) {
    throw new InvalidSignatureError('the digest of the signature is not accepted');
  }
}

/** @throws InvalidSignatureError where the attribute is not there once with one value. */
function required(cms: ParsedSignedData, type: string) {
  const value = signedAttribute(cms, type);
  if (!value) {
    throw new InvalidSignatureError('the signature lacks a signed attribute');
  }
  return value;
}

/**
 * When the signer claims to have signed: in the dictionary of the signature, where PAdES wants it (ETSI EN 319 142-1, 6.3), or
 * among the signed attributes, where other signatures have it.
 */
function claimedTime(before: Buffer, cms: ParsedSignedData): Date {
  // With its line end, which no text in the dictionary has: a business may be found in a city of 'Tel obj'.
  const dictionary = before.subarray(before.lastIndexOf(' obj\n')).toString('latin1');
  const match = /\/M \(D:(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z\)/.exec(dictionary);
  if (match) {
    const [, year, month, day, hour, minute, second] = match;
    return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  }
  const time = required(cms, oid.signingTime);
  if (time instanceof UTCTime || time instanceof GeneralizedTime) {
    return time.toDate();
  }
  throw new InvalidSignatureError('the time of the signature has another form');
}

function isSignedBy(
  certificate: X509Certificate,
  { digest, signedBytes, signature }: ParsedSignedData,
): boolean {
  try {
    return verify(digest, signedBytes, certificate.publicKey, signature);
  } catch {
    // A key that cannot sign, or a signature of another kind.
    return false;
  }
}

/** The two parts of the file that are signed, and the signature between them. */
function partsOf(pdf: Buffer): { signed: readonly [Buffer, Buffer]; signature: Buffer } {
  const found = signatureRanges(pdf.toString('latin1'));
  if (found.length === 0) {
    throw new InvalidSignatureError('there is no signature');
  }
  // The text of a document may hold such words as well; a range over the complete file is the signature's alone. Behind it there
  // may be proofs for its certificates, which cannot be signed before there is a signature.
  const [range, another] = found.filter(
    ([, , next, rest]) =>
      next + rest === pdf.length || (next + rest < pdf.length && isSecurityStore(pdf, next + rest)),
  );
  if (!range) {
    throw new InvalidSignatureError('the signature does not cover the whole file');
  }
  if (another) {
    throw new InvalidSignatureError('there is more than one signature');
  }
  const [, length, next, rest] = range;
  const between = pdf.toString('latin1', length, next);
  const hex = /^<([0-9a-f]+)>$/i.exec(between)?.[1];
  if (
    hex === undefined ||
    hex.length % 2 !== 0 ||
    !/\/Contents\s*$/.test(pdf.toString('latin1', length - 32, length))
  ) {
    throw new InvalidSignatureError('the signature leaves out more than itself');
  }
  return {
    signed: [pdf.subarray(0, length), pdf.subarray(next, next + rest)],
    signature: Buffer.from(hex, 'hex'),
  };
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
