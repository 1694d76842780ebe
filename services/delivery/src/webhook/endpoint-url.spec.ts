import { expect, it } from '@jest/globals';
import { parseNetworks } from '../public-address.js';
import { endpointUrlError } from './endpoint-url.js';

it.each([
  ['https://shop.example.com/', null],
  ['http://shop.example.com/', 'must begin with https://'],
  ['http://127.0.0.1:8080/', null],
  ['http://10.0.0.1:8080/', 'must begin with https://'],
])('endpointUrlError allows http in production to allowed networks alone: %s', (url, error) => {
  const rules = { production: true, webhookAllow: parseNetworks('127.0.0.0/8') };
  expect(endpointUrlError(url, rules)).toBe(error);
});
