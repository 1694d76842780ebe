import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@pinkas/service-kit/config';
import { readAllocationConfig } from './config.js';

const env = {
  NATS_URL: 'nats://allocation:9b74c9897bac770f@127.0.0.1:4222',
  DATABASE_URL: 'postgres://one:c81e728d9d4c2f63@127.0.0.1/one',
  HEALTH_PORT: '9101',
  TAX_AUTHORITY_URL: 'https://ita-api.taxes.gov.il/shaam/production',
  TAX_AUTHORITY_AUTHORIZE_URL: 'https://openapi.taxes.gov.il/shaam/production/longtimetoken/oauth2/authorize',
  TAX_AUTHORITY_REDIRECT_URI: 'https://api.example.com/tax-authority/connected',
  TAX_AUTHORITY_CLIENT_ID: 'f1c9d27e',
  TAX_AUTHORITY_CLIENT_SECRET: '5a0be7c1d92f',
  TOKEN_ENCRYPTION_KEY: '6d1f0c9be37a5482'.repeat(4),
  ACCOUNTING_SOFTWARE_NUMBER: '99999999',
};

describe('readAllocationConfig', () => {
  it('a business is not connected automatically by default', () => {
    expect(readAllocationConfig(env).taxAuthorityAutoConnect).toBe(false);
  });

  it.each([env.TAX_AUTHORITY_URL, 'http://127.0.0.1.example.com/shaam/tsandbox'])(
    'a service for real documents does not connect businesses automatically at %s',
    (url) => {
      const read = () =>
        readAllocationConfig({ ...env, TAX_AUTHORITY_URL: url, TAX_AUTHORITY_AUTO_CONNECT: 'true' });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow('TAX_AUTHORITY_AUTO_CONNECT is true: set it to false');
    },
  );

  it.each([
    ['for a trial', { PRODUCTION: 'false' }],
    ['with a simulator on the same machine', { TAX_AUTHORITY_URL: 'http://127.0.0.1:4010/shaam/tsandbox' }],
  ])('a service connects businesses automatically %s', (_what, change) => {
    const config = readAllocationConfig({ ...env, ...change, TAX_AUTHORITY_AUTO_CONNECT: 'true' });
    expect(config.taxAuthorityAutoConnect).toBe(true);
  });
});
