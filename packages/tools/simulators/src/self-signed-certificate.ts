import { randomBytes, webcrypto } from 'node:crypto';
import { BitString, Integer, OctetString, Utf8String } from 'asn1js';
import {
  AttributeTypeAndValue,
  AuthenticatedSafe,
  BasicConstraints,
  CertBag,
  Certificate,
  CryptoEngine,
  Extension,
  type ICryptoEngine,
  PFX,
  PKCS8ShroudedKeyBag,
  PrivateKeyInfo,
  SafeBag,
  SafeContents,
  Time,
} from 'pkijs';

/** X.509 (RFC 5280) and the bags of PKCS#12 (RFC 7292). */
const oid = {
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
};

/** P-256 may sign after 2028, when RSA of 2048 bits may not any more (ETSI TS 119 312). */
const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const aes256 = { name: 'AES-CBC', length: 256 };
/** The password is random in every use: more iterations only delay each start. */
const iterations = 10_000;

/** pkijs has not declared what the newest versions of its interface have. */
const engine = new CryptoEngine({ crypto: webcrypto }) as CryptoEngine & ICryptoEngine;

/**
 * Makes a key and a certificate that is its own issuer, for signatures that no one outside needs to trust.
 *
 * @param options - `commonName`: whom the signature names; `password`: opens the file; `years`: how long it is valid.
 * @returns the PKCS#12 file (AES-256).
 */
export async function createSelfSignedP12(options: {
  commonName: string;
  password: string;
  years: number;
}): Promise<Uint8Array> {
  const { privateKey, publicKey } = await engine.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const certificate = await selfSigned(options, privateKey, publicKey);
  return packed(privateKey, certificate, options.password);
}

async function selfSigned(
  { commonName, years }: { commonName: string; years: number },
  privateKey: webcrypto.CryptoKey,
  publicKey: webcrypto.CryptoKey,
): Promise<Certificate> {
  const certificate = new Certificate();
  certificate.version = 2;
  const serial = randomBytes(16);
  // Positive and of full length, as ASN.1 wants it.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  certificate.serialNumber = new Integer({ valueHex: serial });
  for (const name of [certificate.issuer, certificate.subject]) {
    name.typesAndValues.push(
      new AttributeTypeAndValue({ type: oid.commonName, value: new Utf8String({ value: commonName }) }),
    );
  }
  const from = new Date();
  const until = new Date(from);
  until.setFullYear(until.getFullYear() + years);
  certificate.notBefore = timeOf(from);
  certificate.notAfter = timeOf(until);
  await certificate.subjectPublicKeyInfo.importKey(publicKey, engine);
  const keyHash = await engine.digest(
    'SHA-1',
    certificate.subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView,
  );
  const extension = (extnID: string, critical: boolean, value: { toBER(): ArrayBuffer }) =>
    new Extension({ extnID, critical, extnValue: value.toBER() });
  // digitalSignature and nonRepudiation, the two highest bits.
  const usage = new BitString({ valueHex: Uint8Array.of(0b1100_0000), unusedBits: 6 });
  certificate.extensions = [
    extension(oid.basicConstraints, true, new BasicConstraints({ cA: false }).toSchema()),
    extension(oid.keyUsage, true, usage),
    extension(oid.subjectKeyIdentifier, false, new OctetString({ valueHex: keyHash })),
  ];
  await certificate.sign(privateKey, 'SHA-256', engine);
  return certificate;
}

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5). */
const timeOf = (value: Date): Time => new Time({ type: value.getUTCFullYear() < 2050 ? 0 : 1, value });

async function packed(
  privateKey: webcrypto.CryptoKey,
  certificate: Certificate,
  passwordText: string,
): Promise<Uint8Array> {
  const password = new TextEncoder().encode(passwordText).buffer;
  const keyBag = new PKCS8ShroudedKeyBag({
    parsedValue: PrivateKeyInfo.fromBER(await engine.exportKey('pkcs8', privateKey)),
  });
  await keyBag.makeInternalValues(
    {
      password,
      contentEncryptionAlgorithm: aes256,
      hmacHashAlgorithm: 'SHA-256',
      iterationCount: iterations,
    },
    engine,
  );
  const safeBags = [
    new SafeBag({ bagId: oid.shroudedKeyBag, bagValue: keyBag }),
    new SafeBag({ bagId: oid.certificateBag, bagValue: new CertBag({ parsedValue: certificate }) }),
  ];
  const authenticatedSafe = new AuthenticatedSafe({
    parsedValue: { safeContents: [{ privacyMode: 0, value: new SafeContents({ safeBags }) }] },
  });
  await authenticatedSafe.makeInternalValues({ safeContents: [{}] }, engine);
  const pfx = new PFX({ parsedValue: { integrityMode: 0, authenticatedSafe } });
  await pfx.makeInternalValues(
    { password, iterations, pbkdf2HashAlgorithm: 'SHA-256', hmacHashAlgorithm: 'SHA-256' },
    engine,
  );
  return Buffer.from(pfx.toSchema().toBER());
}
