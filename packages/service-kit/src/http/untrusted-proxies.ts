import ipaddr from 'ipaddr.js';
import type { Logger } from '../process/logger.js';
import { prefixOf } from './network-of.js';

/** What Fastify knows of where a request comes from. */
interface RequestOrigin {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly ips?: readonly string[] | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Warnings of one process: any client can send the header. */
const warningsMax = 100;

/** The ranges that are not public. */
const internal = ['loopback', 'private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal'];

/**
 * Notices proxies that TRUSTED_PROXIES does not name: all of their callers count as one address and share one rate limit.
 * Each is logged once.
 */
export class UntrustedProxies {
  readonly #warned = new Set<string>();

  constructor(private readonly logger: Logger) {}

  check(request: RequestOrigin): void {
    // Fastify lists the addresses that trusted proxies passed on after that of the connection.
    if (request.headers['x-forwarded-for'] === undefined || (request.ips?.length ?? 1) > 1) {
      return;
    }
    const address = loggable(request.socket.remoteAddress ?? '');
    if (this.#warned.has(address) || this.#warned.size >= warningsMax) {
      return;
    }
    this.#warned.add(address);
    this.logger.warn(
      { address, hint: 'if it is your proxy, add it to TRUSTED_PROXIES: its callers share one rate limit' },
      'x-forwarded-for from an untrusted address ignored',
    );
  }
}

/** An internal address as it is; of a public one, which may be a person's, only the network. */
function loggable(remote: string): string {
  if (!ipaddr.isValid(remote)) {
    return remote;
  }
  const address = ipaddr.process(remote);
  if (internal.includes(address.range())) {
    return address.toString();
  }
  return address instanceof ipaddr.IPv6
    ? prefixOf(address, 3)
    : `${address.octets.slice(0, 3).join('.')}.0/24`;
}
