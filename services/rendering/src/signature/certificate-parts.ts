import { childrenOf, DerError, type DerValue, objectIdentifier, readDer } from './der.js';

/** What Node does not tell of a certificate (X.509: RFC 5280, 4.1). */
export interface CertificateParts {
  /** The issuer's name and the number that it gave, as they are encoded. */
  readonly issuer: Buffer;
  readonly serialNumber: Buffer;
  /** Whether its key may sign; a certificate that says nothing allows everything. */
  readonly maySign: boolean;
  /** Whether it is for time-stamps and for nothing else, as RFC 3161 (2.3) demands of who makes them. */
  readonly stampsOnly: boolean;
}

const oid = {
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
} as const;
const tags = { boolean: 0x01, version: 0xa0, extensions: 0xa3 } as const;
/** digitalSignature and nonRepudiation, the two highest bits of the first octet. */
const signatureBits = 0b1100_0000;

/** @throws DerError when it is no certificate. */
export function certificateParts(certificate: Buffer): CertificateParts {
  const [signed] = childrenOf(readDer(certificate));
  if (!signed) throw new DerError('a certificate is empty');
  const fields = childrenOf(signed);
  if (fields[0]?.tag === tags.version) fields.shift();
  const [serialNumber, , issuer] = fields;
  if (!serialNumber || !issuer) throw new DerError('a certificate lacks its issuer');
  const extensions = fields.find(({ tag }) => tag === tags.extensions);
  const usage = extensionOf(extensions, oid.keyUsage);
  const purposes = extensionOf(extensions, oid.extendedKeyUsage);
  return {
    serialNumber: serialNumber.whole,
    issuer: issuer.whole,
    // A bit string begins with the number of its unused bits.
    maySign: usage === null || ((usage.value.contents[1] ?? 0) & signatureBits) !== 0,
    stampsOnly:
      purposes?.critical === true &&
      childrenOf(purposes.value).map(objectIdentifier).join() === oid.timeStamping,
  };
}

function extensionOf(
  extensions: DerValue | undefined,
  id: string,
): { critical: boolean; value: DerValue } | null {
  const list = extensions && childrenOf(extensions)[0];
  for (const extension of list ? childrenOf(list) : []) {
    const [type, ...rest] = childrenOf(extension);
    const octets = rest.at(-1);
    if (!type || !octets || objectIdentifier(type) !== id) continue;
    return { critical: rest[0]?.tag === tags.boolean, value: readDer(octets.contents) };
  }
  return null;
}
