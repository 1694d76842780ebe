import { describe, expect, it } from '@jest/globals';
import { readPrinterConfig } from './config.js';

const least = { HEALTH_PORT: '0', GOTENBERG_API_BASIC_AUTH_PASSWORD: 'p4f0c1e2d3a5b6978' };

describe('printer config', () => {
  it('the configuration needs only a health port and, in production, a password', () => {
    expect(readPrinterConfig(least)).toMatchObject({
      production: true,
      chromiumSandbox: 'auto',
      queueMax: 64,
    });
    expect(readPrinterConfig({ PRODUCTION: 'false', HEALTH_PORT: '0' }).basicAuthPassword).toBe('');
  });

  it('the configuration reports every missing or wrong variable together', () => {
    const wrong = {
      GOTENBERG_API_BASIC_AUTH_PASSWORD: '',
      CHROMIUM_SANDBOX: 'sometimes',
      PAGES: '0',
      REQUEST_BYTES_MAX: '1',
      API_TIMEOUT_MS: 'soon',
      PAGE_MEMORY_MB: '1',
    };
    for (const name of Object.keys(wrong)) {
      expect(() => readPrinterConfig({ ...least, ...wrong })).toThrow(name);
    }
  });

  it('production rejects a placeholder as the password', () => {
    const placeholder = { ...least, GOTENBERG_API_BASIC_AUTH_PASSWORD: 'changeme' };
    expect(() => readPrinterConfig(placeholder)).toThrow(/PASSWORD is a placeholder/);
  });
});
