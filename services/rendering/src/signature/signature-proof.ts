import { createHash, verify, X509Certificate } from 'node:crypto';
import { childrenOf, DerError, type DerValue, instantOf, objectIdentifier, readDer } from './der.js';

/** The file bears no signature that proves it. The message is half a sentence that says why. */
class Unproven extends Error {
  override readonly name = 'Unproven';
}

const oid = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
} as const;

/** The digests that PAdES allows (ETSI TS 119 312) and that we have ever signed with. */
const digests: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The key alone (RFC 3370, 3.2), whatever the digest. */
const rsaEncryption = '1.2.840.113549.1.1.1';
/** The signature algorithms that name their digest: RSA (RFC 8017, appendix A.2.4) and ECDSA (RFC 5758, 3.2). */
const digestsOfAlgorithms: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
};

const tags = {
  integer: 0x02,
  octetString: 0x04,
  null: 0x05,
  sequence: 0x30,
  set: 0x31,
  first: 0xa0,
  second: 0xa1,
} as const;

/**
 * Proves the one signature of a PDF as a reader of PDFs would, without trusting whoever stored it (PAdES baseline B-B: ETSI EN
 * 319 142-1; CMS: RFC 5652, 5.4): it covers the whole file but for itself, the digest in it is the file's, the signer's
 * key has signed that digest together with the certificate's own, and the certificate was valid at the time that it claims.
 *
 * Whom the certificate belongs to, and who has issued it, is not looked at.
 * @param certificateSha256 the certificate that is known to have signed.
 * @returns what is wrong, as half a sentence; null: it is proven.
 */
export function signatureFault(pdf: Buffer, certificateSha256: Buffer): string | null {
  try {
    prove(pdf, certificateSha256);
    return null;
  } catch (error) {
    if (error instanceof Unproven) return error.message;
    if (error instanceof DerError) return `the signature cannot be read: ${error.message}`;
    throw error;
  }
}

function prove(pdf: Buffer, certificateSha256: Buffer): void {
  const { signed, signature } = partsOf(pdf);
  const { certificates, signer } = readSignedData(signature);
  const certificate = certificates.find((one) => sha256(one.whole).equals(certificateSha256));
  if (!certificate) throw new Unproven('the signature is of another certificate');
  if (!isIssuerAndSerialOf(signer.who, certificate)) {
    throw new Unproven('the signature names another certificate');
  }
  const attribute = readAttributes(signer.attributes);

  if (objectIdentifier(attribute(oid.contentType)) !== oid.data) {
    throw new Unproven('the signature is of no file');
  }
  const digest = createHash(signer.digest);
  for (const part of signed) digest.update(part);
  if (!attribute(oid.messageDigest).contents.equals(digest.digest())) {
    throw new Unproven('the file was changed after it was signed');
  }
  if (!certificateDigest(attribute(oid.signingCertificateV2)).equals(certificateSha256)) {
    throw new Unproven('the signature names another certificate');
  }
  const x509 = new X509Certificate(certificate.whole);
  const at = claimedTime(signed[0], attribute);
  if (at < new Date(x509.validFrom) || at > new Date(x509.validTo)) {
    throw new Unproven('the certificate was not valid when it signed');
  }
  // What was signed are the attributes as a SET; in the file they stand under a tag of their place (RFC 5652, 5.4).
  const attributes = Buffer.from(signer.attributes.whole);
  attributes[0] = tags.set;
  if (!isSignedBy(x509, signer.digest, attributes, signer.signature)) {
    throw new Unproven('the signature is not of the key of its certificate');
  }
}

/**
 * When it was signed, in the words of the signer: in the dictionary of the signature, where PAdES wants it (ETSI EN 319 142-1,
 * 6.3), or among the signed attributes, where other signatures have it.
 */
function claimedTime(before: Buffer, attribute: Attributes): Date {
  // With its line end, which no text in the dictionary has: a business may be found in a city of 'Tel obj'.
  const dictionary = before.subarray(before.lastIndexOf(' obj\n')).toString('latin1');
  const told = /\/M \(D:(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z\)/.exec(dictionary);
  if (!told) return instantOf(attribute(oid.signingTime));
  const [, year, month, day, hour, minute, second] = told;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function isSignedBy(
  certificate: X509Certificate,
  digest: string,
  signed: Buffer,
  signature: Buffer,
): boolean {
  try {
    return verify(digest, signed, certificate.publicKey, signature);
  } catch {
    // A key that can sign nothing, or a signature that is none for it.
    return false;
  }
}

/** The two parts of the file that are signed, and the signature between them. */
function partsOf(pdf: Buffer): { signed: readonly [Buffer, Buffer]; signature: Buffer } {
  const found = [
    ...pdf
      .toString('latin1')
      .matchAll(/\/ByteRange\s*\[\s*(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s*\]/g),
  ];
  if (found.length === 0) throw new Unproven('there is no signature');
  // The text of a document may hold such words as well; a range over the whole file is the signature's alone.
  const [range, another] = found
    .map((match) => match.slice(1).map(Number) as [number, number, number, number])
    .filter(
      ([from, length, next, rest]) => from === 0 && length > 0 && next > length && next + rest === pdf.length,
    );
  if (!range) throw new Unproven('the signature does not cover the whole file');
  if (another) throw new Unproven('there is more than one signature');
  const [, length, next] = range;
  const between = pdf.toString('latin1', length, next);
  const hex = /^<([0-9a-f]+)>$/i.exec(between)?.[1];
  if (
    hex === undefined ||
    hex.length % 2 !== 0 ||
    !/\/Contents\s*$/.test(pdf.toString('latin1', length - 32, length))
  ) {
    throw new Unproven('something other than the signature is left out of it');
  }
  return { signed: [pdf.subarray(0, length), pdf.subarray(next)], signature: Buffer.from(hex, 'hex') };
}

type Attributes = (type: string) => DerValue;

interface Signer {
  /** The certificate by its issuer and its serial number. */
  readonly who: DerValue;
  readonly digest: string;
  readonly attributes: DerValue;
  readonly signature: Buffer;
}

/** @throws Unproven, DerError */
function readSignedData(signature: Buffer): { certificates: DerValue[]; signer: Signer } {
  const contentInfo = readDer(signature);
  // The room that was kept for it is filled up with zeros.
  if (signature.subarray(contentInfo.whole.length).some((octet) => octet !== 0)) {
    throw new Unproven('something stands behind the signature');
  }
  const [type, content] = inside(contentInfo, tags.sequence, 2);
  if (objectIdentifier(type) !== oid.signedData) throw new Unproven(anotherForm);
  const [signedData] = inside(content, tags.first, 1);
  const [version, digestAlgorithms, signedContent, certificates, signers] = inside(
    signedData,
    tags.sequence,
    5,
  );
  const [contentType] = inside(signedContent, tags.sequence, 1);
  if (!isOne(version) || objectIdentifier(contentType) !== oid.data) throw new Unproven(anotherForm);
  const [digestAlgorithm] = inside(digestAlgorithms, tags.set, 1);
  const [signer] = inside(signers, tags.set, 1);

  const parts = childrenOf(signer);
  // A token that says when it was signed, which the signature itself does not cover.
  const token = parts.at(6);
  const [signerVersion, who, ownDigest, attributes, algorithm, value] = inside(
    { ...signer, contents: Buffer.concat(parts.slice(0, 6).map(({ whole }) => whole)) },
    tags.sequence,
    6,
  );
  if (!isOne(signerVersion) || parts.length > 7 || (token && token.tag !== tags.second)) {
    throw new Unproven(anotherForm);
  }
  const digest = digests[algorithmOf(ownDigest)];
  if (digest === undefined || algorithmOf(digestAlgorithm) !== algorithmOf(ownDigest)) {
    throw new Unproven('the digest of the signature is not one that is taken');
  }
  const name = algorithmOf(algorithm);
  if (name !== rsaEncryption && digestsOfAlgorithms[name] !== digest) throw new Unproven(anotherForm);
  if (certificates.tag !== tags.first || attributes.tag !== tags.first || value.tag !== tags.octetString) {
    throw new Unproven(anotherForm);
  }
  return {
    certificates: childrenOf(certificates),
    signer: { who, digest, attributes, signature: value.contents },
  };
}

const anotherForm = 'the signature cannot be read: it has another form';

/** A tuple of so many values. */
type Values<Count extends number, Sofar extends DerValue[] = []> = Sofar['length'] extends Count
  ? Sofar
  : Values<Count, [...Sofar, DerValue]>;

/** What a value of this kind holds, which must be so many values. */
function inside<Count extends number>(value: DerValue, tag: number, count: Count): Values<Count> {
  if (value.tag !== tag) throw new Unproven(anotherForm);
  const children = childrenOf(value);
  if (children.length !== count) throw new Unproven(anotherForm);
  return children as Values<Count>;
}

const isOne = ({ tag, contents }: DerValue): boolean =>
  tag === tags.integer && contents.equals(Buffer.from([1]));

/** The name of an algorithm that takes no parameters. */
function algorithmOf(value: DerValue): string {
  const [name, parameters, more] = childrenOf(value);
  const plain = !parameters || (parameters.tag === tags.null && parameters.contents.length === 0);
  if (value.tag !== tags.sequence || !name || !plain || more) throw new Unproven(anotherForm);
  return objectIdentifier(name);
}

function isIssuerAndSerialOf(who: DerValue, certificate: DerValue): boolean {
  const [issuer, serial] = inside(who, tags.sequence, 2);
  const fields = childrenOf(childAt(certificate, 0));
  // The version stands first, unless it is the oldest.
  const [itsSerial, , itsIssuer] = fields[0]?.tag === tags.first ? fields.slice(1) : fields;
  return Boolean(itsSerial?.whole.equals(serial.whole) && itsIssuer?.whole.equals(issuer.whole));
}

/** @throws Unproven by what is returned, for an attribute that does not stand there once with one value. */
function readAttributes(attributes: DerValue): Attributes {
  const known = childrenOf(attributes).map((attribute) => ({
    type: objectIdentifier(childAt(attribute, 0)),
    values: childrenOf(childAt(attribute, 1)),
  }));
  return (type) => {
    const [found, another] = known.filter((one) => one.type === type);
    const [value, more] = found?.values ?? [];
    if (!value || more || another) throw new Unproven('the signature lacks what it must say');
    return value;
  };
}

/** The certificate's digest that the signer has signed (RFC 5035): where no algorithm is named it is SHA-256. */
function certificateDigest(signingCertificate: DerValue): Buffer {
  const certId = childAt(childAt(signingCertificate, 0), 0);
  const hash = childrenOf(certId).find(({ tag }) => tag === tags.octetString);
  if (!hash) throw new Unproven('the signature lacks what it must say');
  return hash.contents;
}

function childAt(value: DerValue, index: number): DerValue {
  const child = childrenOf(value)[index];
  if (!child) throw new Unproven(anotherForm);
  return child;
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
