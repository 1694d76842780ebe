import {
  type ConfigOf,
  type EnvField,
  hexBytes,
  httpServerFields,
  serviceFields,
  url,
} from '@pinkas/service-kit/config';

const http = ['http:', 'https:'] as const;

const previousApiKeyPepper: EnvField<Buffer | null> = {
  ...hexBytes('API_KEY_PEPPER_PREVIOUS', {
    meaning:
      'While API_KEY_PEPPER is replaced, the other value: keys hashed under it are valid, and are hashed again when they are used.',
    example: 'the former API_KEY_PEPPER',
    bytes: 32,
    secret: true,
  }),
  fallback: null,
};

/** The environment of the gateway. The path of each public address is also where the gateway serves it. */
export const fields = {
  ...serviceFields,
  ...httpServerFields,
  redisUrl: url('REDIS_URL', {
    meaning: 'The Redis that counts requests for all gateways together.',
    example: 'redis://127.0.0.1:6379',
    protocols: ['redis:', 'rediss:'],
    secret: true,
  }),
  apiKeyPepper: hexBytes('API_KEY_PEPPER', {
    meaning:
      'The secret with which API keys are hashed. Without it, here or in API_KEY_PEPPER_PREVIOUS, no key is valid.',
    example: 'the output of: openssl rand -hex 32',
    bytes: 32,
    secret: true,
  }),
  previousApiKeyPepper,
  baseUrl: url('BASE_URL', {
    meaning: 'The public address of the HTTP API, with its version.',
    example: 'https://api.example.com/v1',
    protocols: http,
  }),
  viewUrlBase: url('VIEW_URL_BASE', {
    meaning: 'The public address of hosted pages, without the public id.',
    example: 'https://api.example.com/d',
    protocols: http,
  }),
  pdfUrlBase: url('PDF_URL_BASE', {
    meaning: 'The public address of PDF files, without the public id.',
    example: 'https://api.example.com/pdf',
    protocols: http,
  }),
  docsUrl: url('DOCS_URL', {
    meaning: 'The public address of the documentation, without /errors.',
    example: 'https://api.example.com/docs',
    protocols: http,
  }),
  paymentUrl: url('PAYMENT_URL', {
    meaning: 'Where a business renews its subscription.',
    example: 'https://example.com/subscription',
    protocols: http,
  }),
};
export type GatewayConfig = ConfigOf<typeof fields>;
