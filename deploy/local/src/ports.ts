import { PortBusyError, type ReservedPort, reservePort } from '@pinkas/local-servers';
import { type Home, readJson, writeJson } from './home.js';

/** The ports of one home by name, held until their parts start. */
export class Ports {
  private constructor(private readonly reserved: ReadonlyMap<string, ReservedPort>) {}

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
    const reserved = new Map<string, ReservedPort>();
    try {
      for (const name of names) {
        const must = fixed[name];
        const wish = remembered[name] ?? preferred[name];
        reserved.set(name, must === undefined ? await reserveOrDraw(wish) : await reservePort(must));
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

  /** Lets go of a port right before its server binds it; returns the number. */
  async release(name: string): Promise<number> {
    const reserved = this.#find(name);
    await reserved.release();
    return reserved.port;
  }

  /** Lets go of all. */
  async releaseAll(): Promise<void> {
    await Promise.all([...this.reserved.values()].map((port) => port.release()));
  }

  #find(name: string): ReservedPort {
    const reserved = this.reserved.get(name);
    if (reserved === undefined) {
      throw new Error(`no port is named '${name}'`);
    }
    return reserved;
  }
}

async function reserveOrDraw(wish: number | undefined): Promise<ReservedPort> {
  if (wish !== undefined) {
    try {
      return await reservePort(wish);
    } catch (error) {
      if (!(error instanceof PortBusyError)) {
        throw error;
      }
    }
  }
  return reservePort();
}
