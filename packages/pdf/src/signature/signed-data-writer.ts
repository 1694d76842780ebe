import { createHash } from 'node:crypto';
import { type AsnType, Null, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import {
  AlgorithmIdentifier,
  Attribute,
  ContentInfo,
  EncapsulatedContentInfo,
  GeneralName,
  GeneralNames,
  IssuerAndSerialNumber,
  IssuerSerial,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from 'pkijs';
import { oid } from './object-identifiers.js';
import { encode, parseDer } from './signed-data.js';
import type { SigningCertificate } from './signing-certificate.js';

const setTag = 0x31;
const directoryName = 4;

/** Bytes that are equal in every use but for some parts, each of one length. */
class Form {
  readonly #bytes: Buffer;
  readonly #positions: readonly number[];

  /** @param parts what is in the bytes where other parts will be. */
  constructor(bytes: Buffer, parts: readonly Buffer[]) {
    this.#bytes = bytes;
    this.#positions = parts.map((part) => bytes.indexOf(part));
  }

  fill(parts: readonly Buffer[]): Buffer {
    const filled = Buffer.from(this.#bytes);
    for (const [index, part] of parts.entries()) {
      part.copy(filled, this.#positions[index]);
    }
    return filled;
  }
}

/**
 * Signs digests: CMS signed data without its content (RFC 5652) with the attributes of PAdES baseline B-B (ETSI EN 319 142-1,
 * 6.3): content type, message digest and the signing certificate by its SHA-256. The signing time is in the PDF's dictionary.
 *
 * Only the digest and the signature differ between two documents, so the structure is encoded once for each length of a
 * signature: of those of an elliptic curve there are some.
 */
export class SignedDataWriter {
  readonly #signedBytes: Form;
  readonly #signedData = new Map<number, Form>();
  /** Of an example, in whose place another digest is written. */
  readonly #digest = createHash('sha256').update('digest').digest();

  constructor(private readonly certificate: SigningCertificate) {
    // The signature covers the attributes as a SET, in place of their tag in the structure (RFC 5652, 5.4).
    const signedBytes = encode(attributesOf(this.#digest, certificate));
    signedBytes[0] = setTag;
    this.#signedBytes = new Form(signedBytes, [this.#digest]);
  }

  /**
   * @param digest SHA-256 of the signed bytes.
   * @param requestTimestamp returns a time-stamp token of the signature value (baseline B-T), or null for none.
   */
  async sign(
    digest: Buffer,
    requestTimestamp: (signatureValue: Buffer) => Promise<Buffer | null>,
  ): Promise<Buffer> {
    const signature = await this.certificate.sign(this.#signedBytes.fill([digest]));
    const token = await requestTimestamp(signature);
    return token === null
      ? this.#formOf(signature.length).fill([digest, signature])
      : encodeSignedData(this.certificate, digest, signature, token);
  }

  #formOf(signatureBytes: number): Form {
    let form = this.#signedData.get(signatureBytes);
    if (form === undefined) {
      const signature = Buffer.alloc(signatureBytes, 'signature');
      const example = encodeSignedData(this.certificate, this.#digest, signature, null);
      form = new Form(example, [this.#digest, signature]);
      this.#signedData.set(signatureBytes, form);
    }
    return form;
  }
}

function encodeSignedData(
  certificate: SigningCertificate,
  digest: Buffer,
  signature: Buffer,
  token: Buffer | null,
): Buffer {
  const { issuer, serialNumber } = certificate.x509;
  const sha256 = new AlgorithmIdentifier({ algorithmId: oid.sha256 });
  const signer = new SignerInfo({
    version: 1,
    sid: new IssuerAndSerialNumber({ issuer, serialNumber }),
    digestAlgorithm: sha256,
    signedAttrs: attributesOf(digest, certificate),
    signatureAlgorithm: signatureAlgorithm(certificate.keyType),
    signature: new OctetString({ valueHex: signature }),
    ...(token !== null && { unsignedAttrs: timestampAttribute(token) }),
  });
  const signedData = new SignedData({
    version: 1,
    digestAlgorithms: [sha256],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: oid.data }),
    certificates: [...certificate.certificates],
    signerInfos: [signer],
  });
  return encode(new ContentInfo({ contentType: oid.signedData, content: signedData.toSchema() }));
}

const attributesOf = (digest: Buffer, certificate: SigningCertificate): SignedAndUnsignedAttributes =>
  new SignedAndUnsignedAttributes({ type: 0, attributes: signedAttributes(digest, certificate) });

/** In the one order of a SET that DER allows. */
function signedAttributes(digest: Buffer, { der, x509 }: SigningCertificate): Attribute[] {
  const issuer = new GeneralNames({ names: [new GeneralName({ type: directoryName, value: x509.issuer })] });
  // ESSCertIDv2 (RFC 5035): SHA-256 is the default, which DER does not encode.
  const certificateId = new Sequence({
    value: [
      new OctetString({ valueHex: createHash('sha256').update(der).digest() }),
      new IssuerSerial({ issuer, serialNumber: x509.serialNumber }).toSchema(),
    ],
  });
  return [
    attribute(oid.contentType, new ObjectIdentifier({ value: oid.data })),
    attribute(oid.messageDigest, new OctetString({ valueHex: digest })),
    attribute(oid.signingCertificateV2, new Sequence({ value: [new Sequence({ value: [certificateId] })] })),
  ].sort((a, b) => Buffer.compare(encode(a), encode(b)));
}

const attribute = (type: string, value: AsnType) => new Attribute({ type, values: [value] });

function timestampAttribute(token: Buffer): SignedAndUnsignedAttributes {
  const attributes = [attribute(oid.signatureTimeStampToken, parseDer(token))];
  return new SignedAndUnsignedAttributes({ type: 1, attributes });
}

function signatureAlgorithm(keyType: 'rsa' | 'ec'): AlgorithmIdentifier {
  return keyType === 'rsa'
    ? new AlgorithmIdentifier({ algorithmId: oid.sha256WithRsa, algorithmParams: new Null() })
    : new AlgorithmIdentifier({ algorithmId: oid.sha256WithEcdsa });
}
