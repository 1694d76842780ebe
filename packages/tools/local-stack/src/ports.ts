import { createServer } from 'node:net';
import { type Home, readJson, writeJson } from './home.js';
import { PortBusyError, reservePort } from './servers/index.js';

/** The ports of one home by name, reserved until their parts start. */
export class Ports {
  private constructor(private readonly reserved: ReadonlyMap<string, ClaimedPort>) {}

  /**
   * Reserves the ports that this home used before, so that addresses stay the same, and free ports for those that are in use
   * or new.
   *
   * @param preferred - the first choice for a name that has no port yet.
   * @param fixed - the port that a name must have.
   * @throws PortBusyError when a fixed port is in use.
   */
  static async choose(
    home: Home,
    names: readonly string[],
    {
      preferred,
      fixed,
    }: { preferred: Readonly<Record<string, number>>; fixed: Readonly<Record<string, number>> },
  ): Promise<Ports> {
    const remembered = readJson<Record<string, number>>(home.portsFile) ?? {};
    const reserved = new Map<string, ClaimedPort>();
    try {
      for (const name of names) {
        const fixedPort = fixed[name];
        const firstChoice = remembered[name] ?? preferred[name];
        reserved.set(
          name,
          fixedPort === undefined ? await claimPreferred(firstChoice) : await claimPort(fixedPort),
        );
      }
    } catch (error) {
      await Promise.all([...reserved.values()].map((port) => port.release()));
      throw error;
    }
    const numbers = Object.fromEntries([...reserved].map(([name, { port }]) => [name, port]));
    writeJson(home.portsFile, { ...remembered, ...numbers });
    return new Ports(reserved);
  }

  /** The number of a named port. */
  number(name: string): number {
    return this.#find(name).port;
  }

  /** Unbinds a port right before its server binds it, and keeps the claim on it; returns the number. */
  async release(name: string): Promise<number> {
    const reserved = this.#find(name);
    await reserved.unbind();
    return reserved.port;
  }

  /** Releases all ports, so that other homes can use them. */
  async releaseAll(): Promise<void> {
    await Promise.all([...this.reserved.values()].map((port) => port.release()));
  }

  #find(name: string): ClaimedPort {
    const reserved = this.reserved.get(name);
    if (reserved === undefined) {
      throw new Error(`no port is named '${name}'`);
    }
    return reserved;
  }
}

/**
 * A port that no other home can reserve, not even in the seconds after `unbind` in which its server starts but has not
 * bound it yet.
 */
interface ClaimedPort {
  port: number;
  /** Unbinds the port, right before its server binds it. */
  unbind(): Promise<void>;
  /** Unbinds the port and ends the claim on it. */
  release(): Promise<void>;
}

/** @throws PortBusyError when the wanted port is in use, or another home has a claim on it. */
async function claimPort(wanted?: number): Promise<ClaimedPort> {
  const reserved = await reservePort(wanted);
  const claim = await claimOn(reserved.port);
  if (claim === null) {
    await reserved.release();
    if (wanted !== undefined) {
      throw new PortBusyError(wanted);
    }
    return claimPort();
  }
  return {
    port: reserved.port,
    unbind: () => reserved.release(),
    release: async () => {
      await reserved.release();
      await claim.end();
    },
  };
}

/**
 * Binds an abstract Unix socket, which Linux removes when the process ends. Other systems have none, so that two homes that
 * start at the same moment may claim one port there.
 * @returns null when another process has bound it.
 */
function claimOn(port: number): Promise<{ end(): Promise<void> } | null> {
  if (process.platform !== 'linux') {
    return Promise.resolve({ end: async () => {} });
  }
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(`\0pinkas-port-${port}`, () => {
      server.unref();
      resolve({ end: () => new Promise((ended) => server.close(() => ended())) });
    });
  });
}

async function claimPreferred(preferred: number | undefined): Promise<ClaimedPort> {
  if (preferred !== undefined) {
    try {
      return await claimPort(preferred);
    } catch (error) {
      if (!(error instanceof PortBusyError)) {
        throw error;
      }
    }
  }
  return claimPort();
}
