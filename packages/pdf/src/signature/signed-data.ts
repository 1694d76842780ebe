import { type AsnType, Constructed, fromBER, Null, OctetString, Sequence } from 'asn1js';
import {
  AlgorithmIdentifier,
  type Attribute,
  Certificate,
  ContentInfo,
  IssuerAndSerialNumber,
  SignedData,
  type SignerInfo,
} from 'pkijs';
import { digestNames, oid } from './object-identifiers.js';

/** The bytes are not what they must be in DER. */
export class InvalidDerError extends Error {
  override readonly name = 'InvalidDerError';
}

/** CMS signed data with one signer (RFC 5652, 5.1). */
export interface ParsedSignedData {
  readonly signedData: SignedData;
  readonly signer: SignerInfo;
  readonly certificates: readonly ParsedCertificate[];
  /** The digest of the signer, by Node's name. */
  readonly digest: string;
  /** The signed attributes as the signature covers them: a SET (RFC 5652, 5.4). */
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
}

interface ParsedCertificate {
  readonly certificate: Certificate;
  readonly der: Buffer;
}

/** @throws InvalidDerError, also where bytes follow the value. */
export function parseDer(bytes: Buffer): AsnType {
  const { value, length } = parsePrefix(bytes);
  if (length !== bytes.length) {
    throw new InvalidDerError('bytes follow its end');
  }
  return value;
}

function parsePrefix(bytes: Buffer): { value: AsnType; length: number } {
  // Most errors are returned; some types throw.
  const { result, offset } = decode(() => fromBER(bytes));
  if (offset === -1) {
    throw new InvalidDerError(result.error || 'it is truncated');
  }
  return { value: result, length: offset };
}

/** The tag class of `[0]` and `[1]`. */
const contextClass = 3;

/** Builds a structure of pkijs, whose errors have many classes. @throws InvalidDerError */
export function decode<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw new InvalidDerError((error as Error).message, { cause: error });
  }
}

export const encode = (structure: { toSchema(): AsnType }): Buffer =>
  Buffer.from(structure.toSchema().toBER());

/** Signed data whose syntax alone is known, which is cheap. */
interface SignedDataSyntax {
  readonly value: AsnType;
  /** Without the bytes that follow. */
  readonly bytes: Buffer;
  /** The bytes after its end, which are for the caller to reject. */
  readonly rest: Buffer;
  /** In DER, as far as there are any. */
  readonly certificates: readonly Buffer[];
}

/** @throws InvalidDerError */
export function parseSignedData(bytes: Buffer): SignedDataSyntax {
  const { value, length } = parsePrefix(bytes);
  const [content] = membersOf(membersOf(value)[1]);
  const certificates = membersOf(content).find(({ idBlock }) => idBlock.tagClass === contextClass);
  return {
    value,
    bytes: bytes.subarray(0, length),
    rest: bytes.subarray(length),
    certificates: membersOf(certificates).map((item) => Buffer.from(item.valueBeforeDecodeView)),
  };
}

/**
 * Decodes signed data with one signer, certificates and signed attributes. What was read is encoded again and compared, which
 * rejects BER and everything that a lenient parser leaves out.
 * @throws InvalidDerError
 */
export function decodeSignedData({ value, bytes, certificates }: SignedDataSyntax): ParsedSignedData {
  return decode(() => {
    const { contentType, content } = new ContentInfo({ schema: value });
    if (contentType !== oid.signedData) {
      throw new InvalidDerError('it is not signed data');
    }
    const signedData = new SignedData({ schema: content });
    const encoded = encode(new ContentInfo({ contentType, content: signedData.toSchema() }));
    if (!encoded.equals(bytes)) {
      throw new InvalidDerError('it is not encoded in DER');
    }
    return partsOf(signedData, certificates);
  });
}

function partsOf(signedData: SignedData, certificates: readonly Buffer[]): ParsedSignedData {
  const [signer, another] = signedData.signerInfos;
  if (!signer?.signedAttrs || another || !(signer.sid instanceof IssuerAndSerialNumber)) {
    throw new InvalidDerError('it has another form');
  }
  const digest = digestNames.get(plainAlgorithm(signer.digestAlgorithm));
  if (digest === undefined) {
    throw new InvalidDerError('its digest is not accepted');
  }
  return {
    signedData,
    signer,
    digest,
    certificates: (signedData.certificates ?? []).flatMap((certificate, index) =>
      certificate instanceof Certificate
        ? [{ certificate, der: certificates[index] ?? Buffer.alloc(0) }]
        : [],
    ),
    signedBytes: Buffer.from(signer.signedAttrs.encodedValue),
    signature: Buffer.from(signer.signature.getValue()),
  };
}

/** The OID of an algorithm without parameters. @throws InvalidDerError */
export function plainAlgorithm({ algorithmId, algorithmParams }: AlgorithmIdentifier): string {
  const hasParameters = algorithmParams !== undefined && 'valueBlock' in algorithmParams;
  if (hasParameters && !(algorithmParams instanceof Null)) {
    throw new InvalidDerError('its algorithm has parameters');
  }
  return algorithmId;
}

/** Whether the signer names this certificate by its issuer and serial number. */
export function isSignerOf({ signer }: ParsedSignedData, { certificate }: ParsedCertificate): boolean {
  const { issuer, serialNumber } = certificate;
  return encode(new IssuerAndSerialNumber({ issuer, serialNumber })).equals(
    encode(signer.sid as IssuerAndSerialNumber),
  );
}

/** @returns the value of a signed attribute that is there once with one value, else undefined. */
export function signedAttribute({ signer }: ParsedSignedData, type: string): AsnType | undefined {
  const [attribute, another] = (signer.signedAttrs?.attributes ?? []).filter(
    (item: Attribute) => item.type === type,
  );
  const [value, more] = attribute?.values ?? [];
  return another || more ? undefined : value;
}

/** @returns the value of an unsigned attribute, null where it is not there. @throws InvalidDerError where it is there twice. */
export function unsignedAttribute({ signer }: ParsedSignedData, type: string): AsnType | null {
  const values = (signer.unsignedAttrs?.attributes ?? [])
    .filter((item: Attribute) => item.type === type)
    .flatMap((item: Attribute) => item.values as AsnType[]);
  if (values.length > 1) {
    throw new InvalidDerError('it has an attribute twice');
  }
  return values[0] ?? null;
}

/** The contents of an OCTET STRING; nothing where it is another type. */
export function octets(value: AsnType | undefined): Buffer {
  return value instanceof OctetString ? Buffer.from(value.getValue()) : Buffer.alloc(0);
}

/**
 * The first certificate in a SigningCertificateV2 (RFC 5035, SHA-256 unless it names another digest) or a SigningCertificate
 * (RFC 2634, whose digest is SHA-1).
 */
export function certificateHash(signingCertificate: AsnType): { algorithm: string; hash: Buffer } {
  const [first, second] = membersOf(membersOf(membersOf(signingCertificate)[0])[0]);
  if (!(first instanceof Sequence)) {
    return { algorithm: oid.sha256, hash: octets(first) };
  }
  const { algorithmId } = decode(() => new AlgorithmIdentifier({ schema: first }));
  return { algorithm: algorithmId, hash: octets(second) };
}

const membersOf = (value: AsnType | undefined): AsnType[] =>
  value instanceof Constructed ? (value.valueBlock.value as AsnType[]) : [];
