import { isIP } from 'node:net';
import { isAllowedAddress, type Network } from '../public-address.js';

/** The settings that decide where webhooks may be sent. */
interface EndpointRules {
  /** In production only https, but for addresses of networks that are allowed. */
  readonly production: boolean;
  readonly webhookAllow: readonly Network[];
}

/** The host of an address as a resolver and a socket take it: an IPv6 address without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Why an address cannot be one of an endpoint, as the end of a sentence; null: it can. Its name is resolved for each attempt. */
export function endpointUrlError(text: string, rules: EndpointRules): string | null {
  const url = URL.parse(text);
  if (url === null) {
    return 'must be a complete address such as https://shop.example.com/pinkas';
  }
  const host = hostOf(url);
  const isOwn = isAllowedAddress(host, rules.webhookAllow) && !isAllowedAddress(host, []);
  if (url.protocol !== 'https:' && ((rules.production && !isOwn) || url.protocol !== 'http:')) {
    return 'must begin with https://';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or a password';
  }
  if (url.hash !== '') {
    return 'must not hold a fragment';
  }
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port !== 443 && port < 1024) {
    return 'must have the port 443, or one from 1024 to 65535';
  }
  if (isIP(host) !== 0 && !isAllowedAddress(host, rules.webhookAllow)) {
    return 'must lead to a public address';
  }
  return null;
}
