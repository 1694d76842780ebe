import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@pinkas/service-kit/config';
import { readAllocationConfig } from './config.js';

const env = {
  NATS_URL: 'nats://allocation:9b74c9897bac770f@127.0.0.1:4222',
  DATABASE_URL: 'postgres://one:c81e728d9d4c2f63@127.0.0.1/one',
  HEALTH_PORT: '9101',
  TAX_AUTHORITY_URL: 'https://ita-api.taxes.gov.il/shaam/production',
  TAX_AUTHORITY_REDIRECT_URI: 'https://api.example.com/tax-authority/connected',
  TAX_AUTHORITY_CLIENT_ID: 'f1c9d27e',
  TAX_AUTHORITY_CLIENT_SECRET: '5a0be7c1d92f',
  TOKEN_ENCRYPTION_KEY: '6d1f0c9be37a5482'.repeat(4),
  ACCOUNTING_SOFTWARE_NUMBER: '123456',
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

  it('addresses that are not named are below the base of approvals', () => {
    expect(readAllocationConfig(env)).toMatchObject({
      taxAuthorityAuthorizeUrl: `${env.TAX_AUTHORITY_URL}/longtimetoken/oauth2/authorize`,
      taxAuthorityTokenUrl: `${env.TAX_AUTHORITY_URL}/longtimetoken/oauth2/token`,
      taxAuthorityInformationUrl: env.TAX_AUTHORITY_URL,
      taxAuthorityDecisionsPath: 'InvoiceDecisionApi/v1',
      donationsUrl: `${env.TAX_AUTHORITY_URL}/Donations/v1`,
      taxAuthorityLookUp: 'off',
      taxAuthorityCreditNotes: 'ask',
    });
  });

  it('each address of the authority may be on a host of its own', () => {
    const named = {
      TAX_AUTHORITY_AUTHORIZE_URL: 'https://one.example.com/authorize',
      TAX_AUTHORITY_TOKEN_URL: 'https://two.example.com/token',
      TAX_AUTHORITY_INFORMATION_URL: 'https://three.example.com/shaam/production/',
      TAX_AUTHORITY_DECISIONS_PATH: '/Invoice-decision/v1/',
      TAX_AUTHORITY_LOOK_UP: 'on',
      TAX_AUTHORITY_CREDIT_NOTES: 'skip',
    };
    expect(readAllocationConfig({ ...env, ...named })).toMatchObject({
      taxAuthorityAuthorizeUrl: named.TAX_AUTHORITY_AUTHORIZE_URL,
      taxAuthorityTokenUrl: named.TAX_AUTHORITY_TOKEN_URL,
      taxAuthorityInformationUrl: 'https://three.example.com/shaam/production',
      taxAuthorityDecisionsPath: 'Invoice-decision/v1',
      taxAuthorityLookUp: 'on',
      taxAuthorityCreditNotes: 'skip',
    });
  });

  it('a word that is none of a variable is refused with those that are', () => {
    const read = () =>
      readAllocationConfig({ ...env, TAX_AUTHORITY_LOOK_UP: 'true', TAX_AUTHORITY_CREDIT_NOTES: 'never' });
    expect(read).toThrow('TAX_AUTHORITY_LOOK_UP is wrong: expected on or off');
    expect(read).toThrow('TAX_AUTHORITY_CREDIT_NOTES is wrong: expected ask or skip');
  });

  it.each([
    ['7', 7],
    ['123456', 123_456],
    ['999999999', 999_999_999],
  ])('the number %s of the software is accepted, a certificate or the id of its maker', (given, number) => {
    const config = readAllocationConfig({ ...env, ACCOUNTING_SOFTWARE_NUMBER: given });
    expect(config.accountingSoftwareNumber).toBe(number);
  });

  it.each(['0', '1000000000', '12.5', 'A1'])('the number %s of the software is refused', (given) => {
    expect(() => readAllocationConfig({ ...env, ACCOUNTING_SOFTWARE_NUMBER: given })).toThrow(
      'ACCOUNTING_SOFTWARE_NUMBER is wrong: expected a whole number from 1 to 999999999',
    );
  });
});
