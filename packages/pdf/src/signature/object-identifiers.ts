/** CMS (RFC 5652), ESS (RFC 2634, 5035), RFC 3161, X.509 (RFC 5280) and OCSP (RFC 6960). */
export const oid = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  signatureTimeStampToken: '1.2.840.113549.1.9.16.2.14',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  issuingDistributionPoint: '2.5.29.28',
  deltaCrlIndicator: '2.5.29.27',
  crlDistributionPoints: '2.5.29.31',
  authorityInformationAccess: '1.3.6.1.5.5.7.1.1',
  ocsp: '1.3.6.1.5.5.7.48.1',
  caIssuers: '1.3.6.1.5.5.7.48.2',
  ocspBasic: '1.3.6.1.5.5.7.48.1.1',
  ocspNoCheck: '1.3.6.1.5.5.7.48.1.5',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsaEncryption: '1.2.840.113549.1.1.1',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  sha256WithEcdsa: '1.2.840.10045.4.3.2',
} as const;

/** The digests that PAdES allows (ETSI TS 119 312), by Node's names. */
export const digestNames: ReadonlyMap<string, string> = new Map([
  [oid.sha256, 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** The signature algorithms that name their digest: RSA (RFC 8017, appendix A.2.4) and ECDSA (RFC 5758, 3.2). */
export const signatureDigestNames: ReadonlyMap<string, string> = new Map([
  [oid.sha256WithRsa, 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  [oid.sha256WithEcdsa, 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
]);
