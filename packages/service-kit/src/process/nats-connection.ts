import { type NatsConnection, PermissionViolationError } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { withTimeout } from '../concurrency/with-timeout.js';
import type { Logger } from './logger.js';

const flushTimeoutMs = 1_000;
const pingEveryMs = 1_000;
/** As many unanswered pings as seconds of silence: nothing is sent to a server that would not answer in time. */
const silentPings = timeLimitsMs.silence / pingEveryMs;
/** The connection is given up after so many: a server that gets no processor time for six seconds is not dead. */
const lostPings = timeLimitsMs.loseServer / pingEveryMs;

/** The servers and credentials of a NATS address. */
interface NatsAddress {
  /** `host:port` of each server. */
  servers: string[];
  /** Undefined where the address has no credentials. */
  user?: string;
  password?: string;
  /** Whether the connection must be encrypted. */
  encrypted: boolean;
}

/**
 * Parses an address such as `tls://user:password@nats-0:4222,tls://nats-1:4222`. The credentials may be in any part, and apply to
 * all.
 * @throws when a part is not a URL with the protocol nats: or tls:. The message contains no credentials.
 */
export function readNatsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((part) => {
    const url = URL.canParse(part.trim()) ? new URL(part.trim()) : undefined;
    if (!url || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') {
      throw new Error('expected URLs that start with nats:// or tls://, separated by commas');
    }
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
 * Connects to NATS, and reconnects without limit.
 * @param address see `readNatsAddress`.
 * @param options `inboxPrefix`: where replies arrive, if not at the default of every client; `caFile`: the authority of the
 * servers' certificates, if not one that Node trusts by default.
 * @throws when no server answers within five seconds, or the credentials are rejected.
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
    // While passwords are rotated, the servers may know the new one a moment later than this process.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: reconnectDelay(),
    // The client counts pings, not time: a process that gets no processor time sends none, and reads what has arrived before the next.
    pingInterval: pingEveryMs,
    maxPingOut: lostPings,
    timeout: 2_000,
    noAsyncTraces: true,
  });
}

/** Between two dials of a server, in milliseconds. */
const reconnectPauseMs = 250;
const reconnectJitterMs = 100;

/**
 * The pause before the next dial. The client reckons it from the wall clock at the last dial, so a clock that is set back would
 * keep it from dialling for as long as it was set back: the pause is shorter by that, once.
 */
function reconnectDelay(): () => number {
  let lastMs = 0;
  return () => {
    const setBackMs = lastMs - Date.now();
    lastMs = Date.now();
    return setBackMs > reconnectPauseMs
      ? -setBackMs - reconnectPauseMs
      : reconnectPauseMs + Math.random() * reconnectJitterMs;
  };
}

/** Waits at most a second until the server has everything that was sent. @returns whether it has. */
export async function flush(connection: NatsConnection): Promise<boolean> {
  if (connection.isClosed()) {
    return false;
  }
  const flushed = connection.flush().then(
    () => true,
    () => false,
  );
  return withTimeout(flushed, flushTimeoutMs, () => false);
}

/**
 * Logs that this connection is lost, which it heals automatically, and the subjects that the server denies to it: its permissions are
 * not those of this version.
 */
export async function logStatus(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') {
      logger.warn('nats connection lost');
    }
    if (status.type !== 'error') {
      continue;
    }
    if (!(status.error instanceof PermissionViolationError)) {
      logger.warn({ err: status.error }, 'nats error');
      continue;
    }
    const { operation, subject } = status.error;
    logger.error({ operation, subject }, 'nats subject denied');
  }
}

/**
 * What to do when the server is about to end, or has fallen silent, a connection is lost or back, and the server refuses what was
 * published on it.
 */
interface ConnectionListener {
  serverEnds?: () => void;
  serverSilent?: () => void;
  disconnected?: () => void;
  reconnected?: () => void;
  publishDenied?: (subject: string) => void;
}

/** Whether a connection is up and its server answers, by its own status events. */
export class ConnectionState {
  #connected = true;
  #reconnected: Promise<void> = Promise.resolve();
  #resolveReconnected: (() => void) | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly listener: ConnectionListener = {},
  ) {
    void this.#follow(connection);
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Waits until the connection is up. @returns whether it is, after at most `timeoutMs`. */
  async connectedWithin(timeoutMs: number): Promise<boolean> {
    if (!this.#connected) {
      await withTimeout(this.#reconnected, timeoutMs, () => {});
    }
    return this.#connected;
  }

  /** Connects to another server, once this one has everything that was sent; the connection counts as lost at once. */
  async reconnect(): Promise<void> {
    this.#lost();
    await flush(this.connection);
    await this.connection.reconnect().catch(() => {});
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'ldm') {
        this.listener.serverEnds?.();
      }
      if (status.type === 'ping') {
        this.#pinged(status.pendingPings);
      }
      if (status.type === 'disconnect') {
        this.#lost();
      }
      if (status.type === 'reconnect') {
        this.#up();
        this.listener.reconnected?.();
      }
      if (status.type === 'error' && status.error instanceof PermissionViolationError) {
        const { operation, subject } = status.error;
        if (operation === 'publish') {
          this.listener.publishDenied?.(subject);
        }
      }
    }
    this.#lost();
  }

  /** A server that falls silent may be without processor time, and answer later: the connection is not lost yet. */
  #pinged(pendingPings: number): void {
    if (!this.#connected || pendingPings <= silentPings) {
      return;
    }
    this.#down();
    this.connection.flush().then(
      () => this.#up(),
      () => {},
    );
    this.listener.serverSilent?.();
  }

  #lost(): void {
    this.#down();
    this.listener.disconnected?.();
  }

  #down(): void {
    if (this.#connected) {
      this.#connected = false;
      this.#reconnected = new Promise((resolve) => {
        this.#resolveReconnected = resolve;
      });
    }
  }

  #up(): void {
    this.#connected = true;
    this.#resolveReconnected?.();
    this.#resolveReconnected = undefined;
  }
}
