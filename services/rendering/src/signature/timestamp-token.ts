import { createHash, verify, X509Certificate } from 'node:crypto';
import { certificateParts } from './certificate-parts.js';
import { childrenOf, DerError, type DerValue, objectIdentifier, readDer } from './der.js';
import { identifier, integer, octetString, sequence, yes } from './der-encoding.js';

/** What a time-stamp authority has answered is no time-stamp of what it was asked for. */
export class WrongTimestamp extends Error {
  override readonly name = 'WrongTimestamp';
}

/** What was asked for. */
export interface StampRequest {
  /** SHA-256 of what is stamped. */
  readonly imprint: Buffer;
  /** A random number, its highest bit clear and not all zero, so that an old answer is known for one. */
  readonly nonce: Buffer;
}

const oid = {
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const;
const digests: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const tags = { integer: 0x02, octetString: 0x04, sequence: 0x30, set: 0x31, first: 0xa0 } as const;
/** How far the authority's clock and ours may be apart. */
const driftMaxMs = 5 * 60_000;

/** The request of RFC 3161 (2.4.1), with the authority's certificate asked for in the answer. */
export function stampRequest({ imprint, nonce }: StampRequest): Buffer {
  const digest = sequence(identifier(oid.sha256));
  return sequence(integer(Buffer.from([1])), sequence(digest, octetString(imprint)), integer(nonce), yes());
}

/**
 * Takes the token out of an answer of RFC 3161 (2.4.2), and proves it as far as it can be without a list of whom to trust: it is
 * of what was asked for, now, and signed by the key of a certificate that is made for nothing else.
 * @throws WrongTimestamp
 */
export function stampToken(answer: Buffer, asked: StampRequest, now: Date): Buffer {
  try {
    const [status, token] = childrenOf(readDer(answer));
    // 0: granted; 1: granted with changes, which the checks below would find.
    const granted = status && childAt(status, 0).contents.every((octet) => octet <= 1);
    if (!granted || !token) throw new WrongTimestamp('the time-stamp authority refused');
    prove(token, asked, now);
    return token.whole;
  } catch (error) {
    if (error instanceof DerError) {
      throw new WrongTimestamp(`the time-stamp cannot be read: ${error.message}`);
    }
    throw error;
  }
}

function prove(token: DerValue, asked: StampRequest, now: Date): void {
  const [type, content] = childrenOf(token);
  if (!type || !content || objectIdentifier(type) !== oid.signedData) {
    throw new WrongTimestamp('the time-stamp is no signed data');
  }
  const parts = childrenOf(childAt(content, 0));
  const [infoType, infoPlace] = childrenOf(partAt(parts, 2));
  if (!infoType || !infoPlace || objectIdentifier(infoType) !== oid.tstInfo) {
    throw new WrongTimestamp('the time-stamp is signed data of another kind');
  }
  const info = childAt(infoPlace, 0).contents;
  const stampedAt = proveInfo(readDer(info), asked, now);

  const certificates = parts.find(({ tag }) => tag === tags.first);
  const signer = childAt(partAt(parts, parts.length - 1), 0);
  // version, who, digest algorithm, attributes, signature algorithm, signature
  const [, who, algorithm, attributes, , signature] = childrenOf(signer);
  const digest = algorithm && digests[objectIdentifier(childAt(algorithm, 0))];
  if (!certificates || !who || !attributes || !signature || digest === undefined) {
    throw new WrongTimestamp('the time-stamp lacks its certificate, or has a digest that is not taken');
  }
  const attribute = attributesOf(attributes);
  if (
    objectIdentifier(required(attribute(oid.contentType))) !== oid.tstInfo ||
    !required(attribute(oid.messageDigest)).contents.equals(createHash(digest).update(info).digest())
  ) {
    throw new WrongTimestamp('the time-stamp was changed after it was signed');
  }
  const certificate = childrenOf(certificates).find((one) => {
    const { issuer, serialNumber } = certificateParts(one.whole);
    return sequence(issuer, serialNumber).equals(who.whole);
  });
  if (!certificate) throw new WrongTimestamp('the time-stamp lacks its certificate');
  if (!certificateParts(certificate.whole).stampsOnly) {
    throw new WrongTimestamp('the certificate of the time-stamp is not made for time-stamps alone');
  }
  if (!isNamed(certificate.whole, attribute)) {
    throw new WrongTimestamp('the time-stamp names another certificate');
  }
  const x509 = new X509Certificate(certificate.whole);
  if (stampedAt < new Date(x509.validFrom) || stampedAt > new Date(x509.validTo)) {
    throw new WrongTimestamp('the certificate of the time-stamp was not valid at its time');
  }
  // What is signed are the attributes as a SET; in the token they stand under a tag of their place (RFC 5652, 5.4).
  const signed = Buffer.from(attributes.whole);
  signed[0] = tags.set;
  if (!verify(digest, signed, x509.publicKey, signature.contents)) {
    throw new WrongTimestamp('the signature of the time-stamp is wrong');
  }
}

/** @returns the instant that it tells. */
function proveInfo(info: DerValue, asked: StampRequest, now: Date): Date {
  // version, policy, imprint, serial number, time; then what may be left out, the nonce among it.
  const [, , imprint, , time, ...rest] = childrenOf(info);
  if (!imprint || !time) throw new WrongTimestamp('the time-stamp is not whole');
  const [algorithm, hash] = childrenOf(imprint);
  if (
    !algorithm ||
    objectIdentifier(childAt(algorithm, 0)) !== oid.sha256 ||
    !hash?.contents.equals(asked.imprint)
  ) {
    throw new WrongTimestamp('the time-stamp is of something else');
  }
  if (!rest.find(({ tag }) => tag === tags.integer)?.whole.equals(integer(asked.nonce))) {
    throw new WrongTimestamp('the time-stamp answers another question');
  }
  const stampedAt = instant(time.contents.toString('latin1'));
  if (Math.abs(stampedAt.getTime() - now.getTime()) > driftMaxMs) {
    throw new WrongTimestamp(`the time-stamp is of ${stampedAt.toISOString()}`);
  }
  return stampedAt;
}

/** A GeneralizedTime, which may have fractions of a second (RFC 3161, 2.4.2). */
function instant(text: string): Date {
  const match = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d+))?Z$/.exec(text);
  if (!match) throw new WrongTimestamp('the time of the time-stamp has another form');
  const [, year, month, day, hour, minute, second, fraction = '0'] = match;
  return new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`,
  );
}

/** Whether the certificate is the one that its signer has named under the signature: by SHA-1 at first (RFC 2634), or by RFC 5035. */
function isNamed(certificate: Buffer, attribute: Attributes): boolean {
  const byNow = attribute(oid.signingCertificateV2);
  const id = childAt(childAt(byNow ?? required(attribute(oid.signingCertificate)), 0), 0);
  const [first, second] = childrenOf(id);
  const named = first?.tag === tags.octetString ? first : second;
  const algorithm = first?.tag === tags.sequence ? digests[objectIdentifier(childAt(first, 0))] : 'sha256';
  const digest = byNow ? algorithm : 'sha1';
  return (
    digest !== undefined && required(named).contents.equals(createHash(digest).update(certificate).digest())
  );
}

type Attributes = (type: string) => DerValue | undefined;

function attributesOf(attributes: DerValue): Attributes {
  const known = new Map(
    childrenOf(attributes).map((one) => [objectIdentifier(childAt(one, 0)), childAt(childAt(one, 1), 0)]),
  );
  return (type) => known.get(type);
}

function required(value: DerValue | undefined): DerValue {
  if (!value) throw new WrongTimestamp('the time-stamp lacks what it must say');
  return value;
}

const childAt = (value: DerValue, index: number): DerValue => partAt(childrenOf(value), index);

function partAt(parts: readonly DerValue[], index: number): DerValue {
  const part = parts[index];
  if (!part) throw new WrongTimestamp('the time-stamp is not whole');
  return part;
}
