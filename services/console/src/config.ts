import {
  type ConfigOf,
  type EnvField,
  hexBytes,
  httpServerFields,
  integer,
  serviceFields,
  text,
  url,
} from '@pinkas/service-kit/config';

const http = ['http:', 'https:'] as const;

/** A variable that is either set or has no effect. */
function optional(field: EnvField<string>): EnvField<string> {
  return { ...field, fallback: '' };
}

/** The environment of the console. */
export const fields = {
  ...serviceFields,
  ...httpServerFields,
  consoleUrl: url('CONSOLE_URL', {
    meaning: 'The public address of the console, an origin without a path: links in emails lead there.',
    example: 'https://console.example.com',
    protocols: http,
    tls: true,
  }),
  cookieSecret: hexBytes('COOKIE_SECRET', {
    meaning: 'The secret that signs cookies, the same for all replicas. A new one signs nobody out.',
    example: 'the output of: openssl rand -hex 32',
    bytes: 32,
    secret: true,
  }),
  baseUrl: url('BASE_URL', {
    meaning: 'The public address of the HTTP API, with its version, for the curl line beside a new key.',
    example: 'https://api.example.com/v1',
    protocols: http,
  }),
  viewUrlBase: url('VIEW_URL_BASE', {
    meaning: 'The public address of hosted pages, without the public id.',
    example: 'https://api.example.com/d',
    protocols: http,
  }),
  docsUrl: url('DOCS_URL', {
    meaning: 'The public address of the documentation.',
    example: 'https://api.example.com/docs',
    protocols: http,
  }),
  oidcIssuer: optional(
    url('OIDC_ISSUER', {
      meaning: 'The OpenID Connect issuer with which people may sign in; empty: by link and passkey only.',
      example: 'https://login.example.com/realms/main',
      protocols: http,
      tls: true,
    }),
  ),
  oidcName: text('OIDC_NAME', {
    meaning: 'What the button for that issuer says.',
    example: 'Example Login',
    fallback: 'OpenID',
  }),
  oidcClientId: text('OIDC_CLIENT_ID', {
    meaning: 'The id of the console at that issuer.',
    example: 'pinkas-console',
    fallback: '',
  }),
  oidcClientSecret: text('OIDC_CLIENT_SECRET', {
    meaning: 'The secret of the console at that issuer.',
    example: 'the secret that the issuer shows',
    fallback: '',
    secret: true,
  }),
  accountingSoftwareNumber: integer('ACCOUNTING_SOFTWARE_NUMBER', {
    meaning:
      "The number of the software's registration, which the uniform structure names; without one, that of the authority.",
    example: '99999999',
    fallback: 99_999_999,
    min: 1,
    max: 99_999_999,
  }),
  softwareVendorTaxId: {
    ...text('SOFTWARE_VENDOR_TAX_ID', {
      meaning:
        'The tax id of who operates the software for others, which the uniform structure names; empty: the business itself.',
      example: '777777715',
      fallback: '',
    }),
    parse: (value: string): string => {
      if (!/^\d{1,9}$/.test(value)) {
        throw new Error('expected at most 9 digits');
      }
      return value;
    },
  },
  softwareVendorName: text('SOFTWARE_VENDOR_NAME', {
    meaning: 'The name of who operates the software for others; empty: that of the business itself.',
    example: 'Example Ltd.',
    fallback: '',
  }),
  exportsMaxGib: integer('EXPORTS_MAX_GIB', {
    meaning:
      'How many GiB the files of all exports may have together in the database, which the disk of PostgreSQL must have room for.',
    example: '10',
    fallback: 10,
    min: 1,
    max: 10_000,
  }),
};
export type ConsoleConfig = ConfigOf<typeof fields>;
