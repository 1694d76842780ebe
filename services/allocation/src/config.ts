import { timeLimitsMs } from '@pinkas/contracts';
import {
  ConfigError,
  type ConfigOf,
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
    meaning: "The tax authority's interface, up to and including /shaam/{environment}.",
    example: 'https://ita-api.taxes.gov.il/shaam/production',
    protocols: ['https:', 'http:'],
  }),
  donationsUrl: url('DONATIONS_URL', {
    meaning:
      "The authority's donations interface, up to and including its version; no public document confirms the path. Empty: Donations/v1 below TAX_AUTHORITY_URL.",
    example: 'https://ita-api.taxes.gov.il/shaam/production/Donations/v1',
    fallback: '',
    protocols: ['https:', 'http:'],
  }),
  taxAuthorityAuthorizeUrl: url('TAX_AUTHORITY_AUTHORIZE_URL', {
    meaning:
      "The authority's page at which an owner logs in and agrees; it may be on another host than the API.",
    example: 'https://openapi.taxes.gov.il/shaam/production/longtimetoken/oauth2/authorize',
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
      'How long one question to the authority may take, in milliseconds; below the time that an issued document waits for its outcomes.',
    example: '2500',
    fallback: timeLimitsMs.authorityRequest,
    min: 100,
    max: 60_000,
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
    meaning: "The number of the software's certificate, or the authority's number for software without one.",
    example: '99999999',
    min: 10_000_000,
    max: 999_999_999,
  }),
};
export type AllocationConfig = ConfigOf<typeof fields>;

/**
 * Reads the environment.
 * @throws ConfigError also when a business would be connected without its owner's consent: only a simulator takes that.
 */
export function readAllocationConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): AllocationConfig {
  const config = readConfig(fields, env);
  const isSimulator = isOnThisMachine(config.taxAuthorityUrl);
  if (config.production && config.taxAuthorityAutoConnect && !isSimulator) {
    throw new ConfigError(
      'TAX_AUTHORITY_AUTO_CONNECT is true: set it to false, so that the owner of a business logs in at the tax authority. ' +
        'Only a simulator on this machine can be connected automatically.',
    );
  }
  return config;
}
