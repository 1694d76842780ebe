import { createHash, type KeyObject, verify } from 'node:crypto';
import { type BitString, Constructed, GeneralizedTime, OctetString } from 'asn1js';
import {
  AlgorithmIdentifier,
  BasicOCSPResponse,
  CertID,
  CertificateRevocationList,
  type IssuingDistributionPoint,
  OCSPRequest,
  OCSPResponse,
  Request,
  TBSRequest,
} from 'pkijs';
import { signsOcspReplies } from './certificate-usage.js';
import { type ChainCertificate, chainCertificate, isIssuerOf } from './chain-certificate.js';
import { oid, signatureDigestNames } from './object-identifiers.js';
import { decode, encode, InvalidDerError, parseDer, plainAlgorithm } from './signed-data.js';

/** A reply of an OCSP responder, or a revocation list, does not prove what it was requested for. */
class InvalidRevocationReplyError extends Error {
  override readonly name = 'InvalidRevocationReplyError';
}

/** The issuer of a certificate has revoked it. */
export class CertificateRevokedError extends Error {
  override readonly name = 'CertificateRevokedError';

  constructor(readonly revokedAt: Date) {
    super(`the certificate was revoked at ${revokedAt.toISOString()}`);
  }
}

/** Proves that a certificate is not revoked, within a period. */
export interface RevocationProof {
  readonly kind: 'ocsp' | 'list';
  readonly der: Buffer;
  readonly from: Date;
  /** When the issuer has newer information at the latest. */
  readonly until: Date;
}

/** How far the clock of an issuer may be ahead. */
const driftMaxMs = 5 * 60_000;
/** Without a time of its next update, newer information is there at any time (RFC 6960, 2.4). */
const undatedMs = 60 * 60_000;
const successful = 0;
const status = { good: 0, revoked: 1 };

/** The request of RFC 6960 (4.1.1) without a nonce, so that a responder may reply from its own cache. */
export function encodeOcspRequest(certificate: ChainCertificate, issuer: ChainCertificate): Buffer {
  const request = new Request({ reqCert: certificateId(certificate, issuer) });
  const whole = new OCSPRequest({ tbsRequest: new TBSRequest({ requestList: [request] }) });
  return Buffer.from(whole.toSchema(true).toBER());
}

/** By SHA-1, which every responder knows; it identifies and protects nothing. */
function certificateId({ parsed }: ChainCertificate, issuer: ChainCertificate): CertID {
  const sha1 = (bytes: ArrayBuffer | Uint8Array) =>
    new OctetString({ valueHex: createHash('sha1').update(new Uint8Array(bytes)).digest() });
  return new CertID({
    hashAlgorithm: new AlgorithmIdentifier({ algorithmId: oid.sha1 }),
    issuerNameHash: sha1(issuer.parsed.subject.toSchema().toBER()),
    issuerKeyHash: sha1(issuer.parsed.subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView),
    serialNumber: parsed.serialNumber,
  });
}

/**
 * Verifies a reply of RFC 6960 (4.2.1): it is of this certificate, signed by its issuer or by a responder that the issuer has
 * appointed, and of now.
 * @throws InvalidRevocationReplyError; CertificateRevokedError.
 */
export function readOcspReply(
  der: Buffer,
  certificate: ChainCertificate,
  issuer: ChainCertificate,
  now: Date,
): RevocationProof {
  return readable('the OCSP reply', () => {
    const { responseStatus, responseBytes } = decode(() => new OCSPResponse({ schema: parseDer(der) }));
    if (responseStatus.valueBlock.valueDec !== successful || responseBytes?.responseType !== oid.ocspBasic) {
      throw new InvalidRevocationReplyError('the OCSP responder refused');
    }
    const schema = parseDer(Buffer.from(responseBytes.response.getValue()));
    const reply = decode(() => new BasicOCSPResponse({ schema }));
    const signer = signerOf(reply, issuer, now);
    if (!signer) {
      throw new InvalidRevocationReplyError('the OCSP reply is signed by nobody that its issuer appointed');
    }
    const wanted = encode(certificateId(certificate, issuer));
    const found = reply.tbsResponseData.responses.find(({ certID }) => isSameId(certID, wanted));
    if (!found) {
      throw new InvalidRevocationReplyError('the OCSP reply is of another certificate');
    }
    const { tagNumber } = found.certStatus.idBlock as { tagNumber: number };
    if (tagNumber === status.revoked) {
      throw new CertificateRevokedError(revocationTimeOf(found.certStatus, found.thisUpdate));
    }
    if (tagNumber !== status.good) {
      throw new InvalidRevocationReplyError('the OCSP responder does not know the certificate');
    }
    return { kind: 'ocsp', der, ...periodOf('the OCSP reply', found.thisUpdate, found.nextUpdate, now) };
  });
}

/** The parameters of SHA-1 may be there or not. */
function isSameId(id: CertID, wanted: Buffer): boolean {
  const { issuerNameHash, issuerKeyHash, serialNumber } = id;
  return (
    id.hashAlgorithm.algorithmId === oid.sha1 &&
    encode(
      new CertID({
        hashAlgorithm: new AlgorithmIdentifier({ algorithmId: oid.sha1 }),
        issuerNameHash,
        issuerKeyHash,
        serialNumber,
      }),
    ).equals(wanted)
  );
}

/** The issuer, or the certificate in the reply that the issuer has made for OCSP replies. */
function signerOf(
  { tbsResponseData, signatureAlgorithm, signature, certs }: BasicOCSPResponse,
  issuer: ChainCertificate,
  now: Date,
): ChainCertificate | undefined {
  const responders = (certs ?? [])
    .map((item) => chainCertificate(encode(item)))
    .filter(
      (item) =>
        signsOcspReplies(item.parsed) &&
        isIssuerOf(issuer, item) &&
        new Date(item.x509.validFrom) <= now &&
        now <= new Date(item.x509.validTo),
    );
  return [issuer, ...responders].find(({ x509 }) =>
    isSignedBy(x509.publicKey, tbsResponseData.tbsView, signatureAlgorithm, signature),
  );
}

function revocationTimeOf(certStatus: unknown, otherwise: Date): Date {
  const [time] = certStatus instanceof Constructed ? certStatus.valueBlock.value : [];
  return time instanceof GeneralizedTime ? time.toDate() : otherwise;
}

/**
 * Verifies a revocation list (RFC 5280, 5 and 6.3.3): it is whole, of the issuer of this certificate, signed by it, and of now.
 * @throws InvalidRevocationReplyError; CertificateRevokedError.
 */
export function readRevocationList(
  der: Buffer,
  certificate: ChainCertificate,
  issuer: ChainCertificate,
  now: Date,
): RevocationProof {
  return readable('the revocation list', () => {
    const list = decode(() => new CertificateRevocationList({ schema: parseDer(der) }));
    if (!encode(list.issuer).equals(encode(issuer.parsed.subject))) {
      throw new InvalidRevocationReplyError('the revocation list is of another issuer');
    }
    if (
      !isSignedBy(issuer.x509.publicKey, list.tbsView, list.signatureAlgorithm, list.signatureValue) ||
      !isWhole(list, certificate)
    ) {
      throw new InvalidRevocationReplyError('the revocation list is not the whole one of its issuer');
    }
    const serial = encode({ toSchema: () => certificate.parsed.serialNumber });
    const entry = list.revokedCertificates?.find(({ userCertificate }) =>
      encode({ toSchema: () => userCertificate }).equals(serial),
    );
    if (entry) {
      throw new CertificateRevokedError(entry.revocationDate.value);
    }
    const period = periodOf('the revocation list', list.thisUpdate.value, list.nextUpdate?.value, now);
    return { kind: 'list', der, ...period };
  });
}

/** Whether the list is neither of changes only nor of other certificates (RFC 5280, 5.2.4 and 5.2.5). */
function isWhole({ crlExtensions }: CertificateRevocationList, { x509 }: ChainCertificate): boolean {
  const extensions = crlExtensions?.extensions ?? [];
  if (extensions.some(({ extnID }) => extnID === oid.deltaCrlIndicator)) {
    return false;
  }
  const scope = extensions.find(({ extnID }) => extnID === oid.issuingDistributionPoint)?.parsedValue as
    | IssuingDistributionPoint
    | undefined;
  return !(
    scope?.indirectCRL ||
    scope?.onlyContainsAttributeCerts ||
    scope?.onlySomeReasons !== undefined ||
    (scope?.onlyContainsUserCerts && x509.ca) ||
    (scope?.onlyContainsCACerts && !x509.ca)
  );
}

function periodOf(
  what: string,
  from: Date,
  nextUpdate: Date | undefined,
  now: Date,
): Pick<RevocationProof, 'from' | 'until'> {
  const until = nextUpdate ?? new Date(Math.max(from.getTime(), now.getTime()) + undatedMs);
  if (from.getTime() > now.getTime() + driftMaxMs || until <= now) {
    throw new InvalidRevocationReplyError(`${what} is of ${from.toISOString()}`);
  }
  return { from, until };
}

function isSignedBy(
  key: KeyObject,
  bytes: Uint8Array,
  algorithm: AlgorithmIdentifier,
  signature: BitString,
): boolean {
  const digest = signatureDigestNames.get(plainAlgorithm(algorithm));
  try {
    return digest !== undefined && verify(digest, bytes, key, signature.valueBlock.valueHexView);
  } catch {
    // A key of another kind.
    return false;
  }
}

function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidDerError) {
      throw new InvalidRevocationReplyError(`${what} cannot be read: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
