import { createHash, verify, X509Certificate } from 'node:crypto';
import { Integer, ObjectIdentifier, OctetString } from 'asn1js';
import { AlgorithmIdentifier, MessageImprint, TimeStampReq, TimeStampResp, TSTInfo } from 'pkijs';
import { isTimestampingOnly } from './certificate-usage.js';
import { type ChainCertificate, chainCertificate, isIssuerOf, isRoot } from './chain-certificate.js';
import { digestNames, oid } from './object-identifiers.js';
import {
  certificateHash,
  decode,
  decodeSignedData,
  encode,
  InvalidDerError,
  isSignerOf,
  octets,
  type ParsedSignedData,
  parseDer,
  parseSignedData,
  signedAttribute,
} from './signed-data.js';

/** A time-stamp authority's reply is not a time-stamp of what was requested. */
export class InvalidTimestampError extends Error {
  override readonly name = 'InvalidTimestampError';
}

interface TimestampRequest {
  /** SHA-256 of what is stamped. */
  readonly imprint: Buffer;
  /** A random number, its highest bit clear and its first byte not zero, which an old reply does not have. */
  readonly nonce: Buffer;
}

/** How far the authority's clock and ours may be apart. */
const driftMaxMs = 5 * 60_000;
const grantedWithMods = 1;

/** The request of RFC 3161 (2.4.1); the reply is to contain the authority's certificate. */
export function encodeTimestampRequest({ imprint, nonce }: TimestampRequest): Buffer {
  const messageImprint = new MessageImprint({
    hashAlgorithm: new AlgorithmIdentifier({ algorithmId: oid.sha256 }),
    hashedMessage: new OctetString({ valueHex: imprint }),
  });
  return encode(
    new TimeStampReq({ version: 1, messageImprint, nonce: new Integer({ valueHex: nonce }), certReq: true }),
  );
}

/**
 * Takes the token out of a reply of RFC 3161 (2.4.2) and verifies it as far as possible without a list of trusted authorities:
 * it is of the request, now, and signed by the key of a certificate for time-stamps alone.
 * @throws InvalidTimestampError
 */
export function readTimestampReply(reply: Buffer, request: TimestampRequest, now: Date): Buffer {
  try {
    const schema = parseDer(reply);
    const { status, timeStampToken } = decode(() => new TimeStampResp({ schema }));
    // Granted with modifications: the checks below find those that matter.
    if (status.status > grantedWithMods || !timeStampToken) {
      throw new InvalidTimestampError('the time-stamp authority refused');
    }
    const token = encode(timeStampToken);
    verifyToken(decodeSignedData(parseSignedData(token)), request, now);
    return token;
  } catch (error) {
    if (error instanceof InvalidDerError) {
      throw new InvalidTimestampError(`the time-stamp cannot be read: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** A time-stamp that was verified. */
export interface VerifiedTimestamp {
  readonly at: Date;
  /** SHA-256, in hex, of the certificate that signed it and of those above it, as far as the token has them. */
  readonly certificates: readonly string[];
}

/**
 * Verifies a token that was stored with a signature: it is of that signature, of about the time that the signature claims, and
 * signed by a certificate for time-stamps alone. Whom the last of its certificates belongs to is for the caller to check.
 * @throws InvalidTimestampError
 */
export function verifyTimestamp(token: Buffer, signatureValue: Buffer, claimedAt: Date): VerifiedTimestamp {
  const imprint = createHash('sha256').update(signatureValue).digest();
  try {
    const signedData = decodeSignedData(parseSignedData(token));
    const at = verifyToken(signedData, { imprint, nonce: null }, claimedAt);
    return { at, certificates: verifiedPath(token, at).map(({ fingerprint }) => fingerprint) };
  } catch (error) {
    if (error instanceof InvalidDerError) {
      throw new InvalidTimestampError(`the time-stamp cannot be read: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** The signer's certificate and those above it, each signed by the next. */
function verifiedPath(token: Buffer, at: Date): ChainCertificate[] {
  const { leaf, others } = timestampCertificates(token) ?? { leaf: Buffer.alloc(0), others: [] };
  const candidates = others.map(chainCertificate);
  const path = [chainCertificate(leaf)];
  for (let last = path[0]; last && !isRoot(last); ) {
    const current = last;
    const issuer = candidates.find((item) => !path.includes(item) && isIssuerOf(item, current));
    if (issuer && (!issuer.x509.ca || !isValidAt(issuer.x509, at))) {
      throw new InvalidTimestampError('a certificate above that of the time-stamp could issue none');
    }
    path.push(...(issuer ? [issuer] : []));
    last = issuer;
  }
  return path;
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, at: Date): boolean =>
  at >= new Date(validFrom) && at <= new Date(validTo);

/** The certificates of a token, that of its signer first. */
export function timestampCertificates(token: Buffer): { leaf: Buffer; others: Buffer[] } | null {
  const signedData = decodeSignedData(parseSignedData(token));
  const signer = signedData.certificates.find((item) => isSignerOf(signedData, item));
  const others = signedData.certificates.filter((item) => item !== signer);
  return signer ? { leaf: signer.der, others: others.map(({ der }) => der) } : null;
}

/** What a time-stamp must be of; a stored one is no longer compared with the number of its request. */
type Stamped = Pick<TimestampRequest, 'imprint'> & { readonly nonce: Buffer | null };

/** @returns the instant of the time-stamp. */
function verifyToken(token: ParsedSignedData, request: Stamped, now: Date): Date {
  const { eContentType, eContent } = token.signedData.encapContentInfo;
  if (eContentType !== oid.tstInfo || !eContent) {
    throw new InvalidTimestampError('the time-stamp is signed data of another kind');
  }
  const info = Buffer.from(eContent.getValue());
  const stampedAt = verifyInfo(info, request, now);
  const contentType = signedAttribute(token, oid.contentType);
  const digest = createHash(token.digest).update(info).digest();
  if (
    !(contentType instanceof ObjectIdentifier && contentType.getValue() === oid.tstInfo) ||
    !octets(signedAttribute(token, oid.messageDigest)).equals(digest)
  ) {
    throw new InvalidTimestampError('the time-stamp was changed after it was signed');
  }
  verifySigner(token, stampedAt);
  return stampedAt;
}

function verifySigner(token: ParsedSignedData, stampedAt: Date): void {
  const signer = token.certificates.find((item) => isSignerOf(token, item));
  if (!signer) {
    throw new InvalidTimestampError('the time-stamp lacks its certificate');
  }
  if (!isTimestampingOnly(signer.certificate)) {
    throw new InvalidTimestampError('the certificate of the time-stamp is not made for time-stamps alone');
  }
  if (!isNamed(signer.der, token)) {
    throw new InvalidTimestampError('the time-stamp names another certificate');
  }
  const x509 = new X509Certificate(signer.der);
  if (!isValidAt(x509, stampedAt)) {
    throw new InvalidTimestampError('the certificate of the time-stamp was not valid at its time');
  }
  if (!verify(token.digest, token.signedBytes, x509.publicKey, token.signature)) {
    throw new InvalidTimestampError('the signature of the time-stamp is wrong');
  }
}

/** @returns the instant of the time-stamp. */
function verifyInfo(bytes: Buffer, request: Stamped, now: Date): Date {
  const schema = parseDer(bytes);
  const { messageImprint, nonce, genTime } = decode(() => new TSTInfo({ schema }));
  if (
    messageImprint.hashAlgorithm.algorithmId !== oid.sha256 ||
    !octets(messageImprint.hashedMessage).equals(request.imprint)
  ) {
    throw new InvalidTimestampError('the time-stamp is of something else');
  }
  if (request.nonce && !(nonce && request.nonce.equals(nonce.valueBlock.valueHexView))) {
    throw new InvalidTimestampError('the time-stamp replies to another request');
  }
  if (Math.abs(genTime.getTime() - now.getTime()) > driftMaxMs) {
    throw new InvalidTimestampError(`the time-stamp is of ${genTime.toISOString()}`);
  }
  return genTime;
}

/** Whether the signed attributes name the certificate: by SHA-1 (RFC 2634) or as RFC 5035 says. */
function isNamed(certificate: Buffer, token: ParsedSignedData): boolean {
  const second = signedAttribute(token, oid.signingCertificateV2);
  const named = second ?? signedAttribute(token, oid.signingCertificate);
  if (!named) {
    throw new InvalidTimestampError('the time-stamp does not name its certificate');
  }
  const { algorithm, hash } = certificateHash(named);
  const digest = second ? digestNames.get(algorithm) : 'sha1';
  return digest !== undefined && hash.equals(createHash(digest).update(certificate).digest());
}
