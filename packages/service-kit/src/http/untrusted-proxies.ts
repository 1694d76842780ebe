import { BlockList, isIPv4 } from 'node:net';
import type { Logger } from '../process/logger.js';

/** What Fastify knows of where a request comes from. */
interface RequestOrigin {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly ips?: readonly string[] | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Warnings of one process: any client can send the header. */
const warningsMax = 100;

const internal = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const) {
  internal.addSubnet(network, bits, 'ipv4');
}
internal.addAddress('::1', 'ipv6');
internal.addSubnet('fc00::', 7, 'ipv6');
internal.addSubnet('fe80::', 10, 'ipv6');

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
  const address = remote.replace(/^::ffff:(?=\d+\.)/i, '');
  const v4 = isIPv4(address);
  if (address === '' || internal.check(address, v4 ? 'ipv4' : 'ipv6')) {
    return address;
  }
  return v4 ? `${address.split('.').slice(0, 3).join('.')}.0/24` : `${ipv6Prefix(address)}::/48`;
}

function ipv6Prefix(address: string): string {
  const [head = ''] = address.split('::');
  return [...head.split(':'), '0', '0'].slice(0, 3).join(':');
}
