import { connect, Events, type NatsConnection } from 'nats';
import type { Logger } from './logger.js';

/** Where NATS listens and how a connection proves itself there. */
export interface NatsAddress {
  /** `host:port` of each server. */
  servers: string[];
  /** Undefined where the address names none. */
  user?: string;
  password?: string;
  /** Whether nothing may be said before the connection is encrypted. */
  encrypted: boolean;
}

/**
 * Reads an address such as `tls://user:password@nats-0:4222,tls://nats-1:4222`: the credentials may stand in any of its
 * parts, and hold for all.
 * @throws when a part is no URL of the protocols nats: or tls:. The message names no credentials.
 */
export function readNatsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((part) => {
    const url = URL.canParse(part.trim()) ? new URL(part.trim()) : undefined;
    if (!url || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '')
      throw new Error('expected URLs that start with nats:// or tls://, separated by commas');
    return url;
  });
  const named = urls.find((url) => url.username !== '');
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || '4222'}`),
    ...(named && {
      user: decodeURIComponent(named.username),
      password: decodeURIComponent(named.password),
    }),
    encrypted: urls.some((url) => url.protocol === 'tls:'),
  };
}

/**
 * Connects to NATS and stays connected: what is lost is sought again for ever.
 * @param address see `readNatsAddress`.
 * @param options `inboxPrefix`: where answers arrive, if not where every client has them; `caFile`: the authority that the
 * servers' certificates come from, if not one that Node trusts by itself.
 * @throws when none answers within five seconds, or it does not know the credentials.
 */
export function connectNats(
  address: string,
  name: string,
  options: { inboxPrefix?: string; caFile?: string } = {},
): Promise<NatsConnection> {
  const { servers, user, password, encrypted } = readNatsAddress(address);
  const { inboxPrefix, caFile } = options;
  return connect({
    servers,
    name: `pinkas-${name}`,
    ...(user !== undefined && { user, pass: password ?? '' }),
    ...(inboxPrefix !== undefined && { inboxPrefix }),
    ...((encrypted || caFile) && { tls: caFile ? { caFile } : {} }),
    maxReconnectAttempts: -1,
    // While passwords are being replaced, the servers may know the new one a moment later than we do.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 3,
    timeout: 5_000,
    noAsyncTraces: true,
  });
}

/**
 * Logs what the server does not let this connection say or hear: its permissions are not those of this version. An answer is
 * refused also where the server does not remember the question, since it was asked before the connection was made anew; the asker
 * is not told, and asks again.
 */
export async function logDenials(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type !== Events.Error || status.data !== 'PERMISSIONS_VIOLATION') continue;
    const denied = status.permissionContext;
    if (denied?.operation === 'publish' && denied.subject.startsWith('_INBOX'))
      logger.warn({ denied }, 'an answer came when NATS had forgotten the question');
    else logger.error({ denied }, 'NATS refused a subject');
  }
}

/** Whether a connection is up, as its own events tell: a look that costs nothing. */
export class ConnectionState {
  #connected = true;

  /** @param onReconnect called each time the connection is back. */
  constructor(
    connection: NatsConnection,
    private readonly onReconnect: () => void = () => {},
  ) {
    void this.#follow(connection);
  }

  get connected(): boolean {
    return this.#connected;
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === Events.Disconnect) this.#connected = false;
      if (status.type === Events.Reconnect) {
        this.#connected = true;
        this.onReconnect();
      }
    }
    this.#connected = false;
  }
}
