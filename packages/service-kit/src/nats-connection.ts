import { connect, Events, type NatsConnection } from 'nats';

/**
 * Connects to NATS and stays connected: what is lost is sought again for ever.
 * @param servers separated by commas.
 * @throws when none answers within five seconds.
 */
export function connectNats(servers: string, name: string): Promise<NatsConnection> {
  return connect({
    servers: servers.split(','),
    name: `pinkas-${name}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 3,
    timeout: 5_000,
    noAsyncTraces: true,
  });
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
