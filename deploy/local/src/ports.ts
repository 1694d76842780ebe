import { createServer } from 'node:net';
import { PortBusyError, type ReservedPort, reservePort } from '@pinkas/local-servers';
import { type Home, readJson, writeJson } from './home.js';

/** The ports of one home by name, held until their parts start. */
export class Ports {
  private constructor(private readonly reserved: ReadonlyMap<string, ClaimedPort>) {}

  /**
   * Takes the ports that this home used before, so that addresses stay the same, and draws new ones for those that are
   * taken or new.
   *
   * @param preferred - the port to try first for a name that has none yet.
   * @param fixed - the port that a name must have.
   * @throws PortBusyError when a fixed port is taken.
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
        const must = fixed[name];
        const wish = remembered[name] ?? preferred[name];
        reserved.set(name, must === undefined ? await claimOrDraw(wish) : await claimPort(must));
      }
    } catch (error) {
      await Promise.all([...reserved.values()].map((port) => port.forgo()));
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

  /** Lets go of a port right before its server binds it; returns the number. */
  async release(name: string): Promise<number> {
    const reserved = this.#find(name);
    await reserved.release();
    return reserved.port;
  }

  /** Lets go of all, for any other home to take. */
  async releaseAll(): Promise<void> {
    await Promise.all([...this.reserved.values()].map((port) => port.forgo()));
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
 * A port that no other home takes, also in the seconds between its release and the moment in which its server, a process
 * that has to start first, binds it.
 */
interface ClaimedPort extends ReservedPort {
  /** Lets go of the port and of the claim on it. */
  forgo(): Promise<void>;
}

/** @throws PortBusyError when the wanted port is taken, or another home has a claim on it. */
async function claimPort(wanted?: number): Promise<ClaimedPort> {
  const reserved = await reservePort(wanted);
  const claim = await claimOn(reserved.port);
  if (claim === null) {
    await reserved.release();
    if (wanted !== undefined) throw new PortBusyError(wanted);
    return claimPort();
  }
  return {
    ...reserved,
    forgo: async () => {
      await reserved.release();
      await claim.end();
    },
  };
}

/** How long the address of a Unix socket is on Linux (unix(7)), its leading zero byte left out. */
const socketNameLength = 107;

/**
 * A socket with a name and no file, which Linux takes back when the process ends. Other systems know no such sockets;
 * there two homes that start in the same moment may want one port. The name is as long as an address can be: Node 20 fills
 * a shorter one up with zeros where later versions do not, and the two would not be one name.
 * @returns null where another process has it.
 */
function claimOn(port: number): Promise<{ end(): Promise<void> } | null> {
  if (process.platform !== 'linux') return Promise.resolve({ end: async () => {} });
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(`\0${`pinkas-port-${port}`.padEnd(socketNameLength, '-')}`, () => {
      server.unref();
      resolve({ end: () => new Promise((ended) => server.close(() => ended())) });
    });
  });
}

async function claimOrDraw(wish: number | undefined): Promise<ClaimedPort> {
  if (wish !== undefined) {
    try {
      return await claimPort(wish);
    } catch (error) {
      if (!(error instanceof PortBusyError)) {
        throw error;
      }
    }
  }
  return claimPort();
}
