import { timeLimitsMs } from '@pinkas/contracts';
import {
  ConfigError,
  type ConfigOf,
  choice,
  type Environment,
  flag,
  hexBytes,
  integer,
  isOnThisMachine,
  readConfig,
  serviceFields,
  text,
  url,
} from '@pinkas/service-kit/config';

/** The environment of the allocation service. */
export const fields = {
  ...serviceFields,
  taxAuthorityUrl: url('TAX_AUTHORITY_URL', {
    meaning:
      "The base of the tax authority's approvals and of the decisions about refused numbers, up to and including /shaam/{environment}.",
    example: 'https://ita-api.taxes.gov.il/shaam/production',
    protocols: ['https:', 'http:'],
  }),
  taxAuthorityAuthorizeUrl: url('TAX_AUTHORITY_AUTHORIZE_URL', {
    meaning:
      "The authority's page at which an owner logs in and agrees, whole; empty: longtimetoken/oauth2/authorize below TAX_AUTHORITY_URL.",
    example: 'https://openapi.taxes.gov.il/shaam/production/longtimetoken/oauth2/authorize',
    fallback: '',
    protocols: ['https:', 'http:'],
  }),
  taxAuthorityTokenUrl: url('TAX_AUTHORITY_TOKEN_URL', {
    meaning:
      'The address at which the authority gives tokens, whole; empty: longtimetoken/oauth2/token below TAX_AUTHORITY_URL.',
    example: 'https://ita-api.taxes.gov.il/shaam/production/longtimetoken/oauth2/token',
    fallback: '',
    protocols: ['https:', 'http:'],
  }),
  taxAuthorityInformationUrl: url('TAX_AUTHORITY_INFORMATION_URL', {
    meaning:
      "The base of the authority's look-up and minimum amount, up to and including /shaam/{environment}; empty: TAX_AUTHORITY_URL.",
    example: 'https://openapi.taxes.gov.il/shaam/production',
    fallback: '',
    protocols: ['https:', 'http:'],
  }),
  taxAuthorityDecisionsPath: text('TAX_AUTHORITY_DECISIONS_PATH', {
    meaning:
      "The path of the three decisions about a refused number, below TAX_AUTHORITY_URL; the authority's papers write it in two ways.",
    example: 'InvoiceDecisionApi/v1',
    fallback: 'InvoiceDecisionApi/v1',
  }),
  taxAuthorityLookUp: choice('TAX_AUTHORITY_LOOK_UP', {
    meaning:
      'Whether a number is looked up after an attempt of unknown outcome, before the request is repeated; the authority documents the look-up for buyers only.',
    example: 'off',
    fallback: 'off',
    values: ['on', 'off'],
  }),
  taxAuthorityCreditNotes: choice('TAX_AUTHORITY_CREDIT_NOTES', {
    meaning:
      "Whether a number is requested for credit notes (ask), as the HTTP API states, or not (skip), as the authority's table of documents has it.",
    example: 'ask',
    fallback: 'ask',
    values: ['ask', 'skip'],
  }),
  taxAuthorityTransmission: choice('TAX_AUTHORITY_TRANSMISSION', {
    meaning:
      'Whether the uniform structure may be transmitted to the authority (on), which registered software has to offer from 1.1.2027.',
    example: 'off',
    fallback: 'off',
    values: ['on', 'off'],
  }),
  donationsUrl: url('DONATIONS_URL', {
    meaning:
      "The authority's donations interface, up to and including its version; no public document confirms the path. Empty: Donations/v1 below TAX_AUTHORITY_URL.",
    example: 'https://ita-api.taxes.gov.il/shaam/production/Donations/v1',
    fallback: '',
    protocols: ['https:', 'http:'],
  }),
  taxAuthorityRedirectUri: url('TAX_AUTHORITY_REDIRECT_URI', {
    meaning:
      "Where the authority sends the owner's browser back to, letter for letter as it is registered there; the gateway serves /tax-authority/connected.",
    example: 'https://api.example.com/tax-authority/connected',
    protocols: ['https:', 'http:'],
  }),
  taxAuthorityProxyUrl: url('TAX_AUTHORITY_PROXY_URL', {
    meaning:
      'The HTTP proxy that every call to the authority goes through, since it answers only calls from Israel; empty: none.',
    example: 'http://user:secret@proxy.example.com:3128',
    fallback: '',
    protocols: ['https:', 'http:'],
    secret: true,
  }),
  taxAuthorityClientId: text('TAX_AUTHORITY_CLIENT_ID', {
    meaning: 'The id of our application at the tax authority.',
    example: '0123456789abcdef',
  }),
  taxAuthorityClientSecret: text('TAX_AUTHORITY_CLIENT_SECRET', {
    meaning: 'The secret of our application at the tax authority.',
    example: 'fedcba9876543210',
    secret: true,
  }),
  taxAuthorityTimeoutMs: integer('TAX_AUTHORITY_TIMEOUT_MS', {
    meaning:
      'How long one request to the authority may take, in milliseconds: far longer than an issued document waits for its number, since an aborted request may have been granted.',
    example: '25000',
    fallback: timeLimitsMs.authorityRequest,
    min: 100,
    // With a look-up, less than the time of draining at SIGTERM.
    max: 28_000,
  }),
  taxAuthorityAutoConnect: flag('TAX_AUTHORITY_AUTO_CONNECT', {
    meaning:
      "Connects a business by itself, following the authority's redirect: for a simulator that asks no human to log in.",
    example: 'false',
    fallback: false,
  }),
  tokenEncryptionKey: hexBytes('TOKEN_ENCRYPTION_KEY', {
    meaning: "Encrypts the businesses' tokens at rest, with AES-256-GCM.",
    example: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
    bytes: 32,
    secret: true,
  }),
  accountingSoftwareNumber: integer('ACCOUNTING_SOFTWARE_NUMBER', {
    meaning:
      "The number of the software's certificate; without one, the id or VAT number of who makes the software.",
    example: '123456',
    min: 1,
    max: 999_999_999,
  }),
};
export type AllocationConfig = ConfigOf<typeof fields>;

/**
 * Reads the environment.
 * @throws ConfigError also when a business would be connected without its owner's consent: only a simulator takes that.
 */
export function readAllocationConfig(env: Environment): AllocationConfig {
  const config = withDerivedAddresses(readConfig(fields, env));
  const addresses = [
    config.taxAuthorityUrl,
    config.taxAuthorityAuthorizeUrl,
    config.taxAuthorityTokenUrl,
    config.taxAuthorityInformationUrl,
  ];
  if (config.production && config.taxAuthorityAutoConnect && !addresses.every(isOnThisMachine)) {
    throw new ConfigError(
      'TAX_AUTHORITY_AUTO_CONNECT is true: set it to false, so that the owner of a business logs in at the tax authority. ' +
        'Only a simulator on this machine can be connected automatically.',
    );
  }
  return config;
}

/** The authority serves its interfaces on several hosts; where one is not named, it is below the base of approvals. */
function withDerivedAddresses(config: AllocationConfig): AllocationConfig {
  const base = config.taxAuthorityUrl;
  return {
    ...config,
    taxAuthorityAuthorizeUrl: config.taxAuthorityAuthorizeUrl || `${base}/longtimetoken/oauth2/authorize`,
    taxAuthorityTokenUrl: config.taxAuthorityTokenUrl || `${base}/longtimetoken/oauth2/token`,
    taxAuthorityInformationUrl: config.taxAuthorityInformationUrl || base,
    taxAuthorityDecisionsPath: config.taxAuthorityDecisionsPath.replaceAll(/^\/+|\/+$/g, ''),
    donationsUrl: config.donationsUrl || `${base}/Donations/v1`,
  };
}
