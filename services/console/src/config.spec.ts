import { describe, expect, it } from '@jest/globals';
import { readConfig } from '@pinkas/service-kit/config';
import { fields } from './config.js';

describe('the environment of the console', () => {
  const env = {
    NATS_URL: 'nats://console:9b74c9897bac770f@127.0.0.1:4222',
    DATABASE_URL: 'postgres://console:c81e728d9d4c2f63@127.0.0.1/console',
    HEALTH_PORT: '0',
    HTTP_PORT: '0',
    CONSOLE_URL: 'https://console.example.com',
    COOKIE_SECRET: '9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de',
    BASE_URL: 'https://api.example.com/v1',
    VIEW_URL_BASE: 'https://api.example.com/d',
    DOCS_URL: 'https://api.example.com/docs',
    OIDC_ISSUER: 'https://login.example.com',
  };

  it.each(['CONSOLE_URL', 'OIDC_ISSUER'])('%s without TLS is refused for real documents', (name) => {
    expect(readConfig(fields, env).production).toBe(true);
    const open = { ...env, [name]: 'http://console.example.com' };
    expect(() => readConfig(fields, open)).toThrow(`${name} begins with http:`);
    expect(readConfig(fields, { ...open, PRODUCTION: 'false' }).production).toBe(false);
  });
});
