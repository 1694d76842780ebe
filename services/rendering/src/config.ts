import { timeLimitsMs } from '@pinkas/contracts';
import {
  type ConfigOf,
  type EnvField,
  flag,
  integer,
  serviceFields,
  text,
  url,
} from '@pinkas/service-kit/config';

/** The address of an object store. */
export interface StoreAddress {
  readonly bucket: string;
  /** Of every key: empty, or a path with a slash at its end. */
  readonly prefix: string;
  /** Null: Amazon's. */
  readonly endpoint: string | null;
  /** Null: as the SDK finds it. */
  readonly region: string | null;
  /** Files are only read: new ones go to the database, and none is deleted. */
  readonly readOnly: boolean;
  /** Whether the store is sent the SHA-256 of a file in a header of its own. */
  readonly checksums: boolean;
}

const storeParameters = ['endpoint', 'region', 'readonly', 'checksums'];

function storeAddress(value: string): StoreAddress {
  const expected =
    'expected s3://bucket?endpoint=https://…, with region=…, readonly=true and checksums=false where they are needed';
  if (!URL.canParse(value)) {
    throw new Error(expected);
  }
  const { protocol, hostname, pathname, searchParams, username } = new URL(value);
  const endpoint = searchParams.get('endpoint');
  const unknown = [...searchParams.keys()].filter((name) => !storeParameters.includes(name));
  if (protocol !== 's3:' || hostname === '' || username !== '' || unknown.length > 0) {
    throw new Error(expected);
  }
  if (endpoint !== null && !/^https?:\/\/[^/@?#]+\/?$/.test(endpoint)) {
    throw new Error(
      'expected an endpoint that is an address of http or https, without a path and without credentials',
    );
  }
  const path = pathname.replace(/^\/+|\/+$/g, '');
  return {
    bucket: hostname,
    prefix: path === '' ? '' : `${path}/`,
    endpoint,
    // A store of one's own has one region, whose name it does not ask for.
    region: searchParams.get('region') ?? (endpoint === null ? null : 'us-east-1'),
    readOnly: searchParams.get('readonly') === 'true',
    checksums: searchParams.get('checksums') !== 'false',
  };
}

/** The environment of the rendering service. */
export const fields = {
  ...serviceFields,
  gotenbergUrl: url('GOTENBERG_URL', {
    meaning:
      'Where Gotenberg 8 listens, which prints HTML to PDF, with the user and password of its basic authentication.',
    example: 'http://user:password@127.0.0.1:3000',
    protocols: ['http:', 'https:'],
    secret: true,
  }),
  signingP12File: text('SIGNING_P12_FILE', {
    meaning:
      'The PKCS#12 file with the key, the certificate and those above it, that sign the documents. It, or SIGNING_P12_BASE64.',
    example: '/etc/pinkas/signing/certificate.p12',
    fallback: '',
  }),
  signingP12Base64: text('SIGNING_P12_BASE64', {
    meaning: 'The same file as a text, for those who keep secrets in the environment.',
    example: 'the output of: base64 -w0 certificate.p12',
    fallback: '',
    secret: true,
  }),
  signingP12Password: text('SIGNING_P12_PASSWORD', {
    meaning: 'The password of that file, and of those in SIGNING_P12_FOLDER.',
    example: 'secret',
    secret: true,
  }),
  signingP12Folder: text('SIGNING_P12_FOLDER', {
    meaning:
      "A folder with the PKCS#12 files of businesses that sign by themselves, each under the business's id; read at the start.",
    example: '/etc/pinkas/signing/businesses (holding 3f0c….p12)',
    fallback: '',
  }),
  testSigningP12File: text('TEST_SIGNING_P12_FILE', {
    meaning:
      'The PKCS#12 file that signs the documents of test books, whose certificate is another than that of SIGNING_P12_FILE. It, or TEST_SIGNING_P12_BASE64; without both no test document is issued.',
    example: '/etc/pinkas/test-signing/certificate.p12',
    fallback: '',
  }),
  testSigningP12Base64: text('TEST_SIGNING_P12_BASE64', {
    meaning: 'The same file as a text.',
    example: 'the output of: base64 -w0 test-certificate.p12',
    fallback: '',
    secret: true,
  }),
  testSigningP12Password: text('TEST_SIGNING_P12_PASSWORD', {
    meaning: 'The password of that file.',
    example: 'secret',
    fallback: '',
    secret: true,
  }),
  timestampAuthorityUrl: url('TIMESTAMP_AUTHORITY_URL', {
    meaning: 'The time-stamp authority (RFC 3161) that is asked at each signature; none is asked without it.',
    example: 'https://tsa.example.com/tsr',
    protocols: ['http:', 'https:'],
    fallback: '',
  }),
  timestampTimeoutMs: integer('TIMESTAMP_TIMEOUT_MS', {
    meaning:
      'How long one time-stamp is waited for, in milliseconds; the series of the document is locked until then.',
    example: '1500',
    fallback: timeLimitsMs.timestamp,
    min: 100,
    max: 10_000,
  }),
  timestampRequired: flag('TIMESTAMP_REQUIRED', {
    meaning:
      'Whether a document is refused that cannot be time-stamped; else it is signed without, and the log says so.',
    example: 'false',
    fallback: false,
  }),
  signWhenRevoked: flag('SIGN_WHEN_REVOKED', {
    meaning:
      'Whether documents are signed with a certificate that its issuer has revoked; else they are refused until it is replaced.',
    example: 'false',
    fallback: false,
  }),
  viewUrlBase: url('VIEW_URL_BASE', {
    meaning: "The address of a document's page without its last part; the QR code on a document leads there.",
    example: 'https://pinkas.example.com/d',
    protocols: ['https:', 'http:'],
  }),
  artifactStore: {
    name: 'ARTIFACT_STORE',
    meaning:
      'The bucket that new PDFs are stored in, with the address of its store; empty: PDFs are stored in the database. Files in either place are read.',
    example: 's3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1',
    fallback: null,
    secret: false,
    parse: storeAddress,
  } satisfies EnvField<StoreAddress | null> as EnvField<StoreAddress | null>,
  artifactStoreKeepDays: integer('ARTIFACT_STORE_KEEP_DAYS', {
    meaning:
      'How many days a file stays in the object store after its row is gone: longer than backups of the database are kept.',
    example: '70',
    fallback: 70,
    min: 1,
    max: 3_650,
  }),
  accessKeyId: text('AWS_ACCESS_KEY_ID', {
    meaning:
      'The id of a key of the object store. Empty: credentials are found in another place where the AWS SDK looks, such as a web identity or a file.',
    example: 'AKIAIOSFODNN7EXAMPLE',
    fallback: '',
    secret: true,
  }),
  secretAccessKey: text('AWS_SECRET_ACCESS_KEY', {
    meaning: 'The secret of that key.',
    example: 'secret',
    fallback: '',
    secret: true,
  }),
  renderConcurrency: integer('RENDER_CONCURRENCY', {
    meaning:
      'How many documents are printed at the same time; a little more than the processors of Gotenberg. Of the others businesses take turns.',
    example: '4',
    fallback: 4,
    min: 1,
    max: 256,
  }),
  renderQueueMax: integer('RENDER_QUEUE_MAX', {
    meaning: 'How many more documents may be queued for rendering; further ones are rejected at once.',
    example: '64',
    fallback: 64,
    min: 0,
    max: 10_000,
  }),
  renderTimeoutMs: integer('RENDER_TIMEOUT_MS', {
    meaning:
      'How long one document may be queued and rendered, in milliseconds; the series of the document is locked until then.',
    example: '5000',
    fallback: timeLimitsMs.printDocument,
    min: 100,
    max: 30_000,
  }),
};
export type RenderingConfig = ConfigOf<typeof fields>;
