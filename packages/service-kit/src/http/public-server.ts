import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';

/** Longer than the idle time of the usual load balancer (60 s), so that it never writes to a connection we just closed. */
const keepAliveMs = 65_000;

/** What a server that the public reaches sets of Fastify's options. @param trustedProxies as `TRUSTED_PROXIES` has them. */
export function publicServerOptions(trustedProxies: string) {
  return {
    logger: false,
    trustProxy: trustedProxies === '' ? false : trustedProxies.split(',').map((proxy) => proxy.trim()),
    requestIdHeader: false,
    // A request on an open connection is still served while the process drains.
    return503OnClosing: false,
    connectionTimeout: timeLimitsMs.idleConnection,
    // Slow senders hold no connection.
    requestTimeout: timeLimitsMs.receiveRequest,
    keepAliveTimeout: keepAliveMs,
    http: { headersTimeout: timeLimitsMs.receiveHeaders, connectionsCheckingInterval: 1_000 },
  } as const;
}

/** Where a server listens, for example `http://127.0.0.1:8080`. */
export function originOf(server: Server | undefined): string {
  const listening = server?.address() as AddressInfo | null | undefined;
  if (!listening) {
    throw new Error('http server does not listen');
  }
  const { address, port } = listening;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/**
 * Closes a server once its requests are answered. It listens for the shutdown delay first, since load balancers learn only now to
 * send requests elsewhere.
 */
export async function drainServer(
  server: { readonly server: Server; close(): PromiseLike<unknown> },
  shutdownDelayMs: number,
): Promise<void> {
  if (shutdownDelayMs > 0) {
    await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs));
  }
  const cut = setTimeout(() => server.server.closeAllConnections(), timeLimitsMs.closeHttpServer);
  await server.close();
  clearTimeout(cut);
}

/**
 * TLS ends before the process, so only the public address shows that it is used. Without `includeSubDomains`: other hosts of the
 * domain are not ours.
 */
export function transportHeaders(publicAddress: string): Readonly<Record<string, string>> {
  return publicAddress.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/** What no page needs: a script that ran in spite of everything would not get it either. */
const features = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'payment',
  'usb',
];

/** The headers of every page and file: not indexed, not sniffed, in no page of another origin. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': features.map((feature) => `${feature}=()`).join(', '),
} as const;
